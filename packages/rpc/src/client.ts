import {
  inDoubt,
  refused,
  type ClientModule,
  type DataPlane,
  type DataPlaneContext,
  type Endpoint,
  type OperationOutcome,
} from '@fair-bench/contract';
import { type Connection, HttpConnection, type HttpExchange, reconnectingSession } from '@fair-bench/session';
import { codecsOf, type OperationCodec } from './codec/codec.ts';
import { decodeOutcome } from './codec/outcome.ts';
import { healthPath, jsonContentType } from './protocol.ts';

/** The client module of every route that speaks the RPC protocol. */
export const rpcClient: ClientModule = { connect: connectRpc };

/**
 * Opens a session of the RPC protocol: one keep-alive connection to `endpoint.url`, on which operations are pipelined.
 * Resolves when the server has answered; rejects when it does not, or when `context.signal` aborts.
 */
export async function connectRpc(
  { url }: Endpoint,
  { signal, workload }: DataPlaneContext,
): Promise<DataPlane> {
  const codecs = codecsOf(workload);
  return await reconnectingSession({
    open: async (bound) => await openConnection(url, codecs, bound),
    signal,
  });
}

async function openConnection(
  url: string,
  codecs: readonly OperationCodec[],
  signal: AbortSignal,
): Promise<Connection> {
  const http = await HttpConnection.open(url, signal);
  try {
    await checkHealth(url, http, signal);
  } catch (error) {
    await http.end();
    throw error;
  }
  const calls = codecs.map((codec) => ({ codec, head: headOf(codec, http.host) }));
  return {
    get usable() {
      return http.usable;
    },
    execute: (operation, values) =>
      new Promise((resolve) => {
        const call = calls[operation];
        if (call === undefined) {
          resolve(refused('invalid-request', `the workload has no operation ${operation}`));
          return;
        }
        const body = call.codec.encode(values);
        http.send(
          `${call.head}${Buffer.byteLength(body)}\r\n\r\n${body}`,
          new OperationExchange(call.codec, resolve),
        );
      }),
    end: async () => await http.end(),
  };
}

/** Everything before the value of content-length, its last header. */
function headOf({ path }: OperationCodec, host: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${jsonContentType}\r\ncontent-length: `;
}

class OperationExchange implements HttpExchange {
  readonly #codec: OperationCodec;
  readonly #resolve: (outcome: OperationOutcome) => void;

  constructor(codec: OperationCodec, resolve: (outcome: OperationOutcome) => void) {
    this.#codec = codec;
    this.#resolve = resolve;
  }

  replied(status: number, body: Buffer): void {
    this.#resolve(decodeOutcome(this.#codec, status, body));
  }

  lost(reason: string, wasWritten: boolean): void {
    this.#resolve(wasWritten ? inDoubt('connection-lost', reason) : refused('connection-refused', reason));
  }
}

async function checkHealth(url: string, http: HttpConnection, signal: AbortSignal): Promise<void> {
  const status = await new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    http.send(`GET ${healthPath} HTTP/1.1\r\nhost: ${http.host}\r\n\r\n`, {
      replied: resolve,
      lost: (reason) => reject(new Error(reason)),
    });
  });
  if (status !== 200) {
    throw new Error(`rpc: ${url}${healthPath} answered ${status}; is another server on this port?`);
  }
}
