import { type DataPlane, inDoubt, messageOf, type OperationOutcome, refused } from '@fair-bench/contract';
import type { Pool } from 'undici';
import { checkHealthy, type HttpMethod, type HttpServer } from './http-call.ts';

/** Codes of errors that end a call before any of it is sent. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const headers = { 'content-type': 'application/json' };

/**
 * Longer than a session lives. By its default undici ends what is idle for 4 s, which a session is until all others are
 * connected, and opens it again under the load.
 */
const keepAliveTimeout = 3_600_000;

/**
 * A session of HTTP calls by undici as it ships: `depth` keep-alive connections, with one call at a time on each. undici
 * does not pipeline a POST, because it sends what was behind a lost request again; a call that was on a lost connection is
 * not sent again. The library is loaded with the first session: it takes 0.2 s of processor time, which clients without it,
 * and servers, need not spend.
 */
export async function undiciSession(server: HttpServer): Promise<DataPlane> {
  const { url, calls, batch, depth } = server;
  // The protocol is HTTP/1.1: a proxy with TLS would otherwise get HTTP/2.
  const { Pool } = await import('undici');
  const pool = new Pool(new URL(url).origin, { connections: depth, allowH2: false, keepAliveTimeout });
  try {
    // A busy Node server takes one new connection in a turn of its event loop, in which it answers all that it has: a
    // connection opened under the load waits for seconds.
    await Promise.all(Array.from({ length: depth }, async () => await checkHealth(pool, server)));
  } catch (error) {
    await pool.destroy();
    throw error;
  }
  return {
    async execute(operation, values) {
      const call = calls[operation];
      if (call === undefined) return refused('invalid-request', `the workload has no operation ${operation}`);
      const reply = await send(
        pool,
        () => ({ method: 'POST', path: call.path, ...call.lineOf?.(values), body: call.encode(values) }),
        call.outcome.bind(call),
      );
      return 'unanswered' in reply ? reply.unanswered : reply;
    },
    ...(batch === undefined
      ? {}
      : {
          async executeBatch(operations) {
            const reply = await send(
              pool,
              () => ({ method: 'POST', path: batch.path, body: batch.encode(operations) }),
              (status, body) => batch.outcomes(operations, status, body),
            );
            return 'unanswered' in reply ? operations.map(() => reply.unanswered) : reply;
          },
        }),
    close: async () => await pool.destroy(),
  };
}

interface Request {
  readonly method: HttpMethod;
  readonly path: string;
  /** Empty for none. */
  readonly body: string;
}

/** The reply to one request, or the fault of one without a reply. */
async function send<Reply extends object>(
  pool: Pool,
  requestOf: () => Request,
  read: (status: number, body: Buffer) => Reply,
): Promise<Reply | { readonly unanswered: OperationOutcome }> {
  if (pool.destroyed) return { unanswered: refused('connection-refused', 'the session is closed') };
  let request: Request;
  try {
    request = requestOf();
  } catch (error) {
    return { unanswered: refused('invalid-request', messageOf(error)) };
  }
  try {
    const { method, path, body } = request;
    const content = body === '' ? {} : { headers, body };
    const reply = await pool.request({ method, path, ...content });
    return read(reply.statusCode, Buffer.from(await reply.body.arrayBuffer()));
  } catch (error) {
    return { unanswered: faultOf(error) };
  }
}

async function checkHealth(pool: Pool, server: HttpServer): Promise<void> {
  const { healthPath: path, signal } = server;
  const { statusCode, body } = await pool.request({ method: 'GET', path, signal });
  await body.dump();
  checkHealthy(server, statusCode);
}

function faultOf(error: unknown): OperationOutcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = messageOf(error);
  return notSent.has(code) ? refused('connection-refused', message) : inDoubt('connection-lost', message);
}
