import { messageOf } from '@fair-bench/contract';
import { fetch, type RequestInit, type Response } from 'undici';
import { z } from 'zod';

export type HttpApi = ReturnType<typeof httpApi>;

const healthSchema = z.object({ version: z.string() });
const identitySchema = z.object({ token: z.string() });
const hexSchema = z.string().regex(/^0x[0-9a-f]{64}$/);
const databaseSchema = z.object({
  database_identity: z.object({ __identity__: hexSchema }).transform(Object.values<string>),
  initial_program: hexSchema,
});
const moduleSchema = z.object({ reducers: z.array(z.object({ name: z.string() })) });
const resultSchema = z.tuple([z.object({ rows: z.array(z.unknown()) })]);

/**
 * The API at a server's URL, as in https://spacetimedb.com/docs/http/database, as far as the control plane needs it.
 * Every call rejects with the server's message.
 */
export function httpApi(url: string) {
  const base = `${url.replace(/\/+$/, '')}/v1`;
  const at = (database: string): string => `${base}/database/${encodeURIComponent(database)}`;
  const json = async (path: string, request: RequestInit): Promise<unknown> =>
    await (await send(path, request)).json();
  return {
    version: async (signal: AbortSignal) =>
      healthSchema.parse(await json(`${base}/health`, { signal })).version,
    /** The token of a new identity, which owns the databases that it publishes. */
    createIdentity: async (signal: AbortSignal) =>
      identitySchema.parse(await json(`${base}/identity`, { method: 'POST', signal })).token,
    async publish(database: string, token: string, wasm: Uint8Array, signal: AbortSignal) {
      const body = new Uint8Array(wasm);
      await drain(await send(at(database), { method: 'PUT', headers: bearer(token), body, signal }));
    },
    async remove(database: string, token: string, signal: AbortSignal) {
      await drain(await send(at(database), { method: 'DELETE', headers: bearer(token), signal }));
    },
    /** The database's identity, and its module's hash as written in the server's logs and metrics. */
    async describe(database: string, signal: AbortSignal) {
      const found = databaseSchema.parse(await json(at(database), { signal }));
      const identity = (found.database_identity[0] ?? '').slice(2);
      // The API writes the hash as a number, with its bytes in reverse order.
      const program = Buffer.from(found.initial_program.slice(2), 'hex').toReversed();
      return { identity, moduleHash: Buffer.from(program).toString('hex') };
    },
    /** The names of the module's reducers. */
    async reducers(database: string, signal: AbortSignal): Promise<readonly string[]> {
      const module = moduleSchema.parse(await json(`${at(database)}/schema?version=9`, { signal }));
      return module.reducers.map(({ name }) => name);
    },
    /** Calls a reducer; `body` is the text of a JSON array. */
    async call(database: string, token: string, reducer: string, body: string, signal: AbortSignal) {
      const headers = { ...bearer(token), 'content-type': 'application/json' };
      await drain(await send(`${at(database)}/call/${reducer}`, { method: 'POST', headers, body, signal }));
    },
    /** The rows of one query over durable data, each a tuple of its columns; integers are bigint. */
    async query(database: string, token: string, sql: string, signal: AbortSignal): Promise<unknown> {
      const request = { method: 'POST', headers: bearer(token), body: sql, signal };
      const response = await send(`${at(database)}/sql?confirmed=true`, request);
      return resultSchema.parse(JSON.parse(await response.text(), exactInteger))[0].rows;
    },
    /** Prometheus text, or null if the server does not show it. */
    async metrics(signal: AbortSignal) {
      const response = await fetch(`${base}/metrics`, { signal });
      const text = await response.text();
      return response.ok ? text : null;
    },
  };
}

/** A 64-bit integer would lose digits as a number. */
export function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && Number.isInteger(value) && context?.source !== undefined
    ? BigInt(context.source)
    : value;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, request);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new Error(`no answer from ${url}: ${messageOf(error)}`, { cause: error });
  }
  if (response.ok) return response;
  const text = (await response.text()).slice(0, 500);
  throw new Error(`${request.method ?? 'GET'} ${url} answered ${response.status}: ${text}`);
}

async function drain(response: Response): Promise<void> {
  await response.arrayBuffer();
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
