import {
  type BatchedOperation,
  type DataPlane,
  type DataPlaneContext,
  inDoubt,
  type OperationOutcome,
  refused,
  type Values,
  messageOf,
} from '@fair-bench/contract';
import { HttpConnection, type HttpExchange } from './http-connection.ts';
import { type Connection, reconnectingSession } from './reconnecting-session.ts';

/** One operation as a POST of JSON, and the meaning of its reply. */
export interface HttpCall {
  readonly path: string;
  /** The request's body. */
  encode(values: Values): string;
  /** The body is only valid during the call. A throw leaves the operation in doubt, and ends the connection. */
  outcome(status: number, body: Buffer): OperationOutcome;
}

/** Several operations as one POST of JSON. */
export interface HttpBatch {
  readonly path: string;
  encode(operations: readonly BatchedOperation[]): string;
  /** One for each operation. The body is only valid during the call. A throw leaves them in doubt, and ends the connection. */
  outcomes(
    operations: readonly BatchedOperation[],
    status: number,
    body: Buffer,
  ): readonly OperationOutcome[];
}

interface HttpCalls extends Pick<DataPlaneContext, 'signal'> {
  /** Only its scheme, host and port are used. */
  readonly url: string;
  /** A path that answers a GET with status 200. */
  readonly healthPath: string;
  /** By the operations' numbers. */
  readonly calls: readonly HttpCall[];
  /** Absent where the server has no batches. */
  readonly batch?: HttpBatch;
}

/**
 * Opens a session of HTTP calls: one keep-alive connection, on which operations are pipelined. Resolves when the
 * server has answered; rejects when it does not, or when `signal` aborts.
 */
export async function httpSession(server: HttpCalls): Promise<DataPlane> {
  return await reconnectingSession({
    open: async (bound) => await openConnection({ ...server, signal: bound }),
    signal: server.signal,
  });
}

async function openConnection(server: HttpCalls): Promise<Connection> {
  const { url, calls, signal } = server;
  const http = await HttpConnection.open(url, signal);
  try {
    await checkHealth(server, http);
  } catch (error) {
    await http.end();
    throw error;
  }
  const prepared = calls.map((call) => ({ call, head: headOf(call, http.host) }));
  return {
    get usable() {
      return http.usable;
    },
    execute: (operation, values) =>
      new Promise((resolve) => {
        const found = prepared[operation];
        if (found === undefined) {
          resolve(refused('invalid-request', `the workload has no operation ${operation}`));
          return;
        }
        const { call, head } = found;
        let body: string;
        try {
          body = call.encode(values);
        } catch (error) {
          resolve(refused('invalid-request', messageOf(error)));
          return;
        }
        http.send(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`, new OperationExchange(call, resolve));
      }),
    ...batching(server, http),
    end: async () => await http.end(),
  };
}

function batching({ batch }: HttpCalls, http: HttpConnection): Pick<Connection, 'executeBatch'> {
  if (batch === undefined) return {};
  const head = headOf(batch, http.host);
  return {
    executeBatch: (operations) =>
      new Promise((resolve) => {
        const forAll = (outcome: OperationOutcome): void => resolve(operations.map(() => outcome));
        let body: string;
        try {
          body = batch.encode(operations);
        } catch (error) {
          forAll(refused('invalid-request', messageOf(error)));
          return;
        }
        http.send(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`, {
          replied: (status, bytes) => resolve(batch.outcomes(operations, status, bytes)),
          lost: (reason, wasWritten) =>
            forAll(wasWritten ? inDoubt('connection-lost', reason) : refused('connection-refused', reason)),
        });
      }),
  };
}

/** Everything before the value of content-length, its last header. */
function headOf({ path }: Pick<HttpCall, 'path'>, host: string): string {
  return `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: `;
}

class OperationExchange implements HttpExchange {
  readonly #call: HttpCall;
  readonly #resolve: (outcome: OperationOutcome) => void;

  constructor(call: HttpCall, resolve: (outcome: OperationOutcome) => void) {
    this.#call = call;
    this.#resolve = resolve;
  }

  replied(status: number, body: Buffer): void {
    this.#resolve(this.#call.outcome(status, body));
  }

  lost(reason: string, wasWritten: boolean): void {
    this.#resolve(wasWritten ? inDoubt('connection-lost', reason) : refused('connection-refused', reason));
  }
}

async function checkHealth({ url, healthPath, signal }: HttpCalls, http: HttpConnection): Promise<void> {
  const status = await new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    http.send(`GET ${healthPath} HTTP/1.1\r\nhost: ${http.host}\r\n\r\n`, {
      replied: resolve,
      lost: (reason) => reject(new Error(reason)),
    });
  });
  if (status !== 200) {
    throw new Error(`${new URL(healthPath, url).href} answered ${status}; is another server on this port?`);
  }
}
