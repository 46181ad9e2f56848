import { Client, type Dispatcher } from 'undici';
import {
  inDoubt,
  refused,
  type ClientModule,
  type DataPlane,
  type DataPlaneContext,
  type Endpoint,
  type OperationOutcome,
  type Values,
} from '@fair-bench/contract';
import { codecsOf, type OperationCodec } from './codec/codec.ts';
import { decodeOutcome } from './codec/outcome.ts';
import { healthPath, jsonContentType } from './protocol.ts';

const noBytes = Buffer.alloc(0);
const connectMsMax = 5_000;
/** The server never closes an idle connection, and neither does a session. */
const idleMsMax = 600_000;

/** The client module of every route that speaks the RPC protocol. */
export const rpcClient: ClientModule = { connect: connectRpc };

/**
 * Opens a session of the RPC protocol: one keep-alive connection to `endpoint.url`, on which up to `context.depth`
 * operations are pipelined. Resolves when the server has answered; rejects when it does not, or when `context.signal`
 * aborts.
 */
export async function connectRpc(endpoint: Endpoint, context: DataPlaneContext): Promise<DataPlane> {
  const session = new RpcSession(endpoint.url, context);
  try {
    await session.open(context.signal);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The request for one operation; its body changes from call to call. */
interface Call {
  readonly codec: OperationCodec;
  readonly request: Dispatcher.DispatchOptions & { body: string };
}

class RpcSession implements DataPlane {
  readonly #origin: string;
  readonly #pipelining: number;
  readonly #exchanges: Exchange[] = [];
  readonly #calls: readonly Call[];
  #client: Client | null = null;
  #closed = false;
  /** Lost clients, until their last handle is gone. */
  readonly #ending = new Set<Promise<void>>();

  constructor(url: string, { depth, workload }: Pick<DataPlaneContext, 'depth' | 'workload'>) {
    this.#origin = new URL(url).origin;
    // With at least 2, undici writes the next request when it is there, not a turn of the event loop later.
    this.#pipelining = Math.max(depth, 2);
    this.#calls = codecsOf(workload).map((codec) => ({ codec, request: requestOf(codec) }));
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#client = this.#connect();
    const { statusCode, body } = await this.#client.request({ path: healthPath, method: 'GET', signal });
    await body.dump();
    if (statusCode !== 200) {
      throw new Error(
        `rpc: ${this.#origin}${healthPath} answered ${statusCode}; is another server on this port?`,
      );
    }
  }

  execute(operation: number, values: Values): Promise<OperationOutcome> {
    return new Promise((resolve) => {
      const call = this.#calls[operation];
      if (this.#closed || call === undefined) {
        const lack = this.#closed ? 'the session is closed' : `the workload has no operation ${operation}`;
        resolve(refused('connection-refused', lack));
        return;
      }
      const client = (this.#client ??= this.#connect());
      const exchange = this.#exchanges.pop() ?? new Exchange(this.#exchanges);
      exchange.codec = call.codec;
      exchange.resolve = resolve;
      call.request.body = call.codec.encode(values);
      client.dispatch(call.request, exchange);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#client !== null) this.#discard(this.#client, new Error('the session was closed'));
    await Promise.all(this.#ending);
  }

  /**
   * A client for one connection. After a loss, undici would send all requests but the first again on a new
   * connection, and an operation sent twice is applied twice. It reports the loss before that, and a destroyed client
   * sends nothing more: everything outstanding fails, and the next call opens another connection.
   */
  #connect(): Client {
    const client = new Client(this.#origin, {
      pipelining: this.#pipelining,
      connectTimeout: connectMsMax,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMsMax,
      keepAliveMaxTimeout: idleMsMax,
      allowH2: false,
    });
    const lost = (_origin: URL, _targets: readonly unknown[], error: Error) => this.#discard(client, error);
    client.on('disconnect', lost);
    client.on('connectionError', lost);
    return client;
  }

  #discard(client: Client, error: Error): void {
    if (this.#client === client) this.#client = null;
    if (client.destroyed) return;
    const ended = client.destroy(error).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** One request and its reply. Reused: the timed loop allocates no handler. */
class Exchange implements Dispatcher.DispatchHandler {
  codec: OperationCodec | null = null;
  resolve: (outcome: OperationOutcome) => void = ignore;
  readonly #free: Exchange[];
  #sent = false;
  #status = 0;
  #body: Buffer = noBytes;

  constructor(free: Exchange[]) {
    this.#free = free;
  }

  /** Called just before the request is written; a request without this call was never sent. */
  onRequestStart(): void {
    this.#sent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body = this.#body.length === 0 ? chunk : Buffer.concat([this.#body, chunk]);
  }

  onResponseEnd(): void {
    this.#settle(
      this.codec === null
        ? inDoubt('internal', 'a reply without a request')
        : decodeOutcome(this.codec, this.#status, this.#body),
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle(
      this.#sent ? inDoubt('connection-lost', error.message) : refused('connection-refused', error.message),
    );
  }

  #settle(outcome: OperationOutcome): void {
    const resolve = this.resolve;
    this.#sent = false;
    this.#body = noBytes;
    this.resolve = ignore;
    this.#free.push(this);
    resolve(outcome);
  }
}

function requestOf({ path }: OperationCodec): Call['request'] {
  return {
    path,
    method: 'POST',
    headers: ['content-type', jsonContentType],
    body: '',
    // undici pipelines only requests marked as safe; `#connect` makes sure that nothing is sent again.
    idempotent: true,
    blocking: false,
  };
}

function ignore(): void {}
