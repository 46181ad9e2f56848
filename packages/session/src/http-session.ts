import {
  type ClientCodec,
  type DataPlane,
  inDoubt,
  type OperationOutcome,
  refused,
  messageOf,
} from '@fair-bench/contract';
import { checkHealthy, type HttpCall, type HttpServer } from './http-call.ts';
import { HttpConnection, type HttpExchange } from './http-connection.ts';
import { type Connection, reconnectingSession } from './reconnecting-session.ts';
import { undiciSession } from './undici-session.ts';

/**
 * Opens a session of HTTP calls: by undici as it ships or, tuned, by our own client, which pipelines operations on one
 * keep-alive connection. Resolves when the server has answered; rejects when it does not, or when `signal` aborts.
 */
export async function httpSession(server: HttpServer, codec: ClientCodec): Promise<DataPlane> {
  if (codec === 'stock') return await undiciSession(server);
  return await reconnectingSession({
    retriesMax: 0,
    open: async (bound) => await openConnection({ ...server, signal: bound }),
    signal: server.signal,
  });
}

async function openConnection(server: HttpServer): Promise<Connection> {
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

function batching({ batch }: HttpServer, http: HttpConnection): Pick<Connection, 'executeBatch'> {
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

async function checkHealth(server: HttpServer, http: HttpConnection): Promise<void> {
  const { healthPath, signal } = server;
  const status = await new Promise<number>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    http.send(`GET ${healthPath} HTTP/1.1\r\nhost: ${http.host}\r\n\r\n`, {
      replied: resolve,
      lost: (reason) => reject(new Error(reason)),
    });
  });
  checkHealthy(server, status);
}
