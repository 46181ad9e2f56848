import { Client, type Dispatcher } from 'undici';
import {
  applied,
  inDoubt,
  outcomeSchema,
  refused,
  type Endpoint,
  type Outcome,
  type Session,
  type SessionContext,
  type Transfer,
} from '@fair-bench/contract';
import { appliedText, healthPath, jsonContentType, transferPath } from './protocol.ts';

const appliedBytes = Buffer.from(appliedText);
const noBytes = Buffer.alloc(0);
const connectMsMax = 5_000;
/** The server never closes an idle connection, and neither does a session. */
const idleMsMax = 600_000;

/**
 * Opens a session of the RPC protocol: one keep-alive connection to `endpoint.url`, on which up to
 * `context.depth` transfers are pipelined. Resolves when the server has answered on it; rejects when it does
 * not, or when `context.signal` aborts.
 */
export async function connectRpcSession(
  endpoint: Endpoint,
  context: SessionContext,
): Promise<Session<Transfer>> {
  const session = new RpcSession(endpoint.url, context.depth);
  try {
    await session.open(context.signal);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

class RpcSession implements Session<Transfer> {
  readonly #origin: string;
  readonly #pipelining: number;
  readonly #exchanges: Exchange[] = [];
  readonly #request: Dispatcher.DispatchOptions & { body: string };
  #client: Client | null = null;
  #closed = false;
  /** Clients that lost their connection, until their last handle is gone. */
  readonly #ending = new Set<Promise<void>>();

  constructor(url: string, depth: number) {
    this.#origin = new URL(url).origin;
    // From 2 on undici writes the next request when it is there, not a turn of the event loop later.
    this.#pipelining = Math.max(depth, 2);
    this.#request = {
      path: transferPath,
      method: 'POST',
      headers: ['content-type', jsonContentType],
      body: '',
      // undici pipelines only what it is told is safe to; nothing is resent, as `#connect` sees to.
      idempotent: true,
      blocking: false,
    };
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

  execute(operation: Transfer): Promise<Outcome> {
    return new Promise((resolve) => {
      if (this.#closed) {
        resolve(refused('connection-refused', 'the session is closed'));
        return;
      }
      const client = (this.#client ??= this.#connect());
      const exchange = this.#exchanges.pop() ?? new Exchange(this.#exchanges);
      exchange.resolve = resolve;
      this.#request.body = `{"source":${operation.source},"target":${operation.target},"amount":"${operation.amount}"}`;
      client.dispatch(this.#request, exchange);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#client !== null) this.#discard(this.#client, new Error('the session was closed'));
    await Promise.all(this.#ending);
  }

  /**
   * A client for one connection. On a lost connection undici would send all requests but the first again on
   * a new one, and a transfer sent twice is applied twice. It reports the loss before it does so, and a client
   * that is destroyed then sends nothing more: everything outstanding fails, and the next call connects anew.
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
  resolve: (outcome: Outcome) => void = ignore;
  readonly #free: Exchange[];
  #sent = false;
  #status = 0;
  #body: Buffer = noBytes;

  constructor(free: Exchange[]) {
    this.#free = free;
  }

  /** Called just before the request is written; what has not come here was never sent. */
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
    this.#settle(decodeReply(this.#status, this.#body));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle(
      this.#sent ? inDoubt('connection-lost', error.message) : refused('connection-refused', error.message),
    );
  }

  #settle(outcome: Outcome): void {
    const resolve = this.resolve;
    this.#sent = false;
    this.#body = noBytes;
    this.resolve = ignore;
    this.#free.push(this);
    resolve(outcome);
  }
}

/**
 * Reads a reply. The bytes of nearly every reply are recognised as they are; any others are parsed and
 * checked. A reply that cannot be understood leaves the operation in doubt.
 */
export function decodeReply(status: number, body: Buffer): Outcome {
  if (status === 200 && body.length === appliedBytes.length && body.equals(appliedBytes)) return applied;
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return inDoubt('protocol-error', `status ${status} with a body that is not JSON: ${excerpt(body)}`);
  }
  const parsed = outcomeSchema.safeParse(value);
  if (!parsed.success) {
    return inDoubt('protocol-error', `status ${status} with a body that is no outcome: ${excerpt(body)}`);
  }
  if ((parsed.data.kind === 'fault') !== status >= 400) {
    return inDoubt('protocol-error', `status ${status} does not go with the outcome ${excerpt(body)}`);
  }
  return parsed.data;
}

function excerpt(body: Buffer): string {
  return JSON.stringify(body.toString('utf8', 0, 200));
}

function ignore(): void {}
