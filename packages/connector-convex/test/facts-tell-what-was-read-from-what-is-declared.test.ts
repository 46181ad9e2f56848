import { afterAll, expect, test, vi } from 'vitest';
import { type Facts, defaultTargetSettings, type ProvisionContext } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionConvex } from '../src/deployment.ts';
import { startConvexProtocolDouble } from './support/convex-protocol-double.ts';
import { transfers } from './support/transfers.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-convex-facts-'));
const double = await startConvexProtocolDouble();
const silent = await startConvexProtocolDouble({ showsMetrics: false });
vi.stubEnv('CONVEX_KEY_OF_THE_DOUBLE', double.adminKey);
afterAll(async () => {
  vi.unstubAllEnvs();
  await double.close();
  await silent.close();
  await rm(scratch, { recursive: true });
});

async function provision(url: string, extra: Record<string, string> = {}, profile = 'default') {
  const context: ProvisionContext = {
    target: 'convex-test',
    options: {
      ...defaultTargetSettings,
      url,
      profile,
      extra: { adminKeyVariable: 'CONVEX_KEY_OF_THE_DOUBLE', deploy: 'never', ...extra },
      sessionsMax: 50,
      depthMax: 8,
      threadsMax: 1,
      batchMax: 1,
      workload: transfers,
    },
    supervisor: createSupervisor({ logDirectory: scratch }),
    signal: AbortSignal.timeout(10_000),
    shared: async (_key, start) => await start(),
  };
  return await provisionConvex(context, {
    wireProtocol: 'a test',
    endpoint: (_target, { described }) => ({ url: described.siteUrl ?? '', options: {} }),
  });
}

async function factsOf(extra: Record<string, string> = {}, profile = 'default'): Promise<Facts> {
  return await (await provision(double.url, extra, profile)).facts(AbortSignal.timeout(10_000));
}

test('an unreported storage is unknown, and its commits do not count as durable', async () => {
  const { settings, durability, storage } = await factsOf();
  expect(settings).toMatchObject({
    deployment: 'self-hosted',
    storage: 'unknown',
    storage_source: 'not known',
  });
  expect([durability, storage]).toEqual(['async', { directory: null, fileSystem: 'unknown' }]);
});

test('a declared storage is labelled, and does not count as durable', async () => {
  const { settings, durability } = await factsOf({ storage: 'sqlite' });
  expect(settings).toMatchObject({ storage: 'sqlite', storage_source: 'declared, not read' });
  expect(durability).toBe('async');
});

test('a data folder that shows a write of ours is read, another one is not', async () => {
  const seen = await factsOf({ dataDirectory: double.dataDirectory });
  expect(seen.settings).toMatchObject({ storage: 'sqlite', storage_source: 'read' });
  expect([seen.durability, seen.storage.directory]).toEqual(['durable', double.dataDirectory]);
  for (const dataDirectory of [silent.dataDirectory, scratch, join(scratch, 'nowhere')]) {
    const unseen = await factsOf({ dataDirectory });
    expect(unseen.settings['storage_source'], dataDirectory).toBe('not known');
    expect(unseen.storage.directory).toBeNull();
  }
});

test('limits are the operator’s declaration, and bound concurrent commits', async () => {
  const shipped = await factsOf();
  expect(shipped.settings['max_concurrent_mutations']).toBe('as Convex ships it (not read)');
  expect([shipped.writersMax, shipped.isolation]).toEqual([16, 'serializable']);
  const raised = await factsOf({ maxConcurrentMutations: '256', maxConcurrentV8Actions: '512' }, 'raised');
  expect(raised.settings).toMatchObject({
    max_concurrent_mutations: '256 (declared, not read)',
    max_concurrent_queries: 'as Convex ships it (not read)',
    max_concurrent_v8_actions: '512 (declared, not read)',
  });
  expect(raised.writersMax).toBe(256);
});

test('a profile that the declared limits contradict is refused', async () => {
  await expect(factsOf({ maxConcurrentMutations: '256' })).rejects.toThrow('name the target with @raised');
  await expect(factsOf({}, 'raised')).rejects.toThrow('APPLICATION_MAX_CONCURRENT_MUTATIONS');
  await expect(factsOf({ maxConcurrentMutations: '16' }, 'raised')).rejects.toThrow('above 16');
});

test('commits and retries are those of the metrics, and absent without metrics', async () => {
  const shown = await (await provision(double.url)).counters(AbortSignal.timeout(10_000));
  expect(shown).toEqual({ commits: expect.any(Number), retries: 0 });
  const hidden = await provision(silent.url);
  expect(await hidden.counters(AbortSignal.timeout(10_000))).toEqual({});
  expect((await hidden.facts(AbortSignal.timeout(10_000))).settings['occ_retries']).toBe(
    'not shown by the backend',
  );
});
