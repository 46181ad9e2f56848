import { z } from 'zod';
import type { Facts, TargetOptions } from '@fair-bench/contract';
import { functionNames } from '@fair-bench/rpc-server-convex';
import type { AdminApi } from './admin-api.ts';
import { workCounters } from './counters.ts';
import { concurrentMutationsDefault, type ConvexOptions } from './options.ts';
import { durabilityOf, readStorage } from './storage.ts';

const describedSchema = z.strictObject({ functions: z.string(), siteUrl: z.string().nullable() });
export type Described = z.infer<typeof describedSchema>;

/** The functions' report of their deployment. Rejects when they are missing. */
export async function describeDeployment(api: AdminApi, signal: AbortSignal): Promise<Described> {
  return await api.call(functionNames.describe, {}, describedSchema, signal);
}

/** The deployment's own facts and, marked as such, its operator's declarations. */
export async function readFacts(
  api: AdminApi,
  target: TargetOptions,
  options: ConvexOptions,
  wireProtocol: string,
  signal: AbortSignal,
): Promise<Facts> {
  const [version, kind, metrics, { functions }] = await Promise.all([
    api.version(signal),
    api.kind(signal),
    api.metrics(signal),
    describeDeployment(api, signal),
  ]);
  const storage = await readStorage(api, kind, metrics, options, signal);
  const limit = options.maxConcurrentMutations ?? concurrentMutationsDefault;
  return {
    system: { name: 'Convex', version },
    provider: 'url',
    durability: durabilityOf(storage),
    // Every transaction; the only level (https://docs.convex.dev/database/advanced/occ).
    isolation: 'serializable',
    settings: {
      deployment: kind,
      functions,
      storage: storage.kind,
      storage_source: storage.source,
      max_concurrent_mutations: declared(options.maxConcurrentMutations),
      max_concurrent_queries: declared(options.maxConcurrentQueries),
      max_concurrent_v8_actions: declared(options.maxConcurrentV8Actions),
      occ_retries: 'retries' in workCounters(metrics) ? 'counted by the backend' : 'not shown by the backend',
    },
    appServer: null,
    clientCodec: options.clientCodec,
    wireProtocol,
    // The committer combines waiting commits into one write, and the limit bounds the running mutations.
    writersMax: Math.max(1, Math.min(limit, target.sessionsMax * target.depthMax)),
    storage: storage.place,
  };
}

function declared(limit: number | undefined): string {
  return limit === undefined ? 'as Convex ships it (not read)' : `${limit} (declared, not read)`;
}
