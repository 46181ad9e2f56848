import { type DataPlane, inDoubt, messageOf, type OperationOutcome, refused } from '@fair-bench/contract';
import { Pool } from 'undici';
import { checkHealthy, type HttpServer } from './http-call.ts';

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
 * A session of HTTP calls by undici as it ships: up to `depth` keep-alive connections, opened when a call needs one, with
 * one call at a time on each. undici does not pipeline a POST, because it sends what was behind a lost request again; a
 * call that was on a lost connection is not sent again.
 */
export async function undiciSession(server: HttpServer): Promise<DataPlane> {
  const { url, calls, depth } = server;
  // The protocol is HTTP/1.1: a proxy with TLS would otherwise get HTTP/2.
  const pool = new Pool(new URL(url).origin, { connections: depth, allowH2: false });
  try {
    await checkHealth(pool, server);
  } catch (error) {
    await pool.destroy();
    throw error;
  }
  return {
    async execute(operation, values) {
      const call = calls[operation];
      if (call === undefined) return refused('invalid-request', `the workload has no operation ${operation}`);
      if (pool.destroyed) return refused('connection-refused', 'the session is closed');
      let body: string;
      try {
        body = call.encode(values);
      } catch (error) {
        return refused('invalid-request', messageOf(error));
      }
      try {
        const reply = await pool.request({ method: 'POST', path: call.path, headers, body });
        return call.outcome(reply.statusCode, Buffer.from(await reply.body.arrayBuffer()));
      } catch (error) {
        return faultOf(error);
      }
    },
    close: async () => await pool.destroy(),
  };
}

async function checkHealth(pool: Pool, server: HttpServer): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path: server.healthPath,
    signal: server.signal,
  });
  await body.dump();
  checkHealthy(server, statusCode);
}

function faultOf(error: unknown): OperationOutcome {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = messageOf(error);
  return notSent.has(code) ? refused('connection-refused', message) : inDoubt('connection-lost', message);
}
