import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { HttpApi } from './http-api.ts';

/** A database with a workload's module, created for one deployment and owned by it. */
export type Database = Awaited<ReturnType<typeof createDatabase>>;

const removeTimeoutMs = 10_000;

/** Publishes the module under a new name: no database of the user is ever touched. */
export async function createDatabase(api: HttpApi, modulePath: string, signal: AbortSignal) {
  const name = `fair-bench-${randomBytes(6).toString('hex')}`;
  const token = await api.createIdentity(signal);
  await api.publish(name, token, await readFile(modulePath), signal);
  const { identity } = await api.describe(name, signal);
  const calls = new Map<string, number>();
  return {
    name,
    /** The hash of its module, as the server reports it. */
    moduleHash: async (within: AbortSignal) => (await api.describe(name, within)).moduleHash,
    reducers: async (within: AbortSignal) => await api.reducers(name, within),
    async call(reducer: string, argumentsJson: string, within: AbortSignal) {
      await api.call(name, token, reducer, argumentsJson, within);
      calls.set(reducer, (calls.get(reducer) ?? 0) + 1);
    },
    /** How often `call` has called a reducer. */
    calls: (reducer: string) => calls.get(reducer) ?? 0,
    query: async (sql: string, within: AbortSignal) => await api.query(name, token, sql, within),
    /** Its own metrics: lines of `name{labels} value`; null if the server shows none. */
    async metrics(within: AbortSignal) {
      const text = await api.metrics(within);
      return text?.split('\n').filter((line) => line.includes(`"${identity}"`)) ?? null;
    },
    remove: async () => await api.remove(name, token, AbortSignal.timeout(removeTimeoutMs)),
  };
}
