import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { routeOf, type TargetOptions } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import connector from '../src/index.ts';
import { missingPooler } from '../src/poolers/start.ts';
import { boxes } from './support/boxes/workload.ts';
import { soon } from './support/provision.ts';

const route = routeOf(connector, 'driver');
const pool = 3;
const optionsFor = (pooler: string): TargetOptions => ({
  ...loneTargetOptions,
  pooler,
  poolerPool: pool,
  // Old versions of PgBouncer keep no prepared statements.
  protocol: 'extended',
  workload: boxes,
});

describe.each(['pgbouncer', 'pgdog'])('a target with %s', async (pooler) => {
  const lack = await missingPooler(optionsFor(pooler), false);
  let target: LoneTarget;
  beforeAll(async () => {
    const requested = { durability: 'async', isolation: 'snapshot' } as const;
    if (lack === null) target = await startLoneTarget(route, { ...optionsFor(pooler), ...requested });
  });
  afterAll(async () => {
    if (lack === null) await target.close();
  });
  beforeEach(({ skip }) => skip(lack !== null, `${lack?.reason}; ${lack?.remedy}`));

  test('has the pooler and its settings among its facts, and the requested settings in its sessions', async () => {
    const facts = await target.deployment.facts(soon());
    expect(facts).toMatchObject({
      pooler: {
        requested: pooler,
        answers: pooler,
        version: expect.stringMatching(/^\d+\.\d+/),
        poolSize: pool,
      },
      durability: 'async',
      isolation: 'snapshot',
      writersMax: pool,
      settings: { 'fair_bench.pooler': pooler, [`${pooler}.default_pool_size`]: String(pool) },
    });
    expect(target.deployment.processes.map(({ role }) => role)).toEqual(['database', 'pooler']);
  });

  test('counts every transaction of more sessions than connections, and all of these come from its process', async () => {
    const { deployment } = target;
    const before = await deployment.counters(soon());
    await using observer = await observing(deployment);
    const sessions = await Promise.all(
      Array.from({ length: 4 * pool }, async () => await connected(deployment.endpoint.url)),
    );
    await Promise.all(sessions.map(async (session) => await repeated(session, 50)));
    const look = await observer.look();
    await Promise.all(sessions.map(async (session) => await session.end()));
    const after = await deployment.counters(soon());
    expect(look).toEqual({ pooled: pool, beside: [] });
    const increase = (name: 'commits' | 'pooled'): number => (after[name] ?? 0) - (before[name] ?? 0);
    // The counts of both ends have transactions of ours besides.
    expect(increase('commits')).toBeGreaterThanOrEqual(4 * pool * 50);
    expect(increase('pooled')).toBeGreaterThanOrEqual(4 * pool * 50 * 0.9);
    expect(increase('pooled')).toBeLessThan(4 * pool * 50 + 50);
  });

  test('sees a session that comes past it', async () => {
    const { deployment } = target;
    await using observer = await observing(deployment);
    const direct = await target.beside(route, { ...optionsFor('none'), workload: boxes });
    const url = new URL(direct.endpoint.url);
    url.searchParams.set('application_name', 'fair-bench postgres-driver');
    const session = await connected(url.href);
    expect((await observer.look()).beside).toEqual([
      expect.stringMatching(/^backend \d+ serves a session from port \d+, which is not the pooler's$/),
    ]);
    await session.end();
  });
});

async function observing(deployment: LoneTarget['deployment']) {
  const observer = await deployment.observe(soon());
  const look = observer.pooling;
  if (look === null) throw new Error('the connections are not visible');
  return { look, [Symbol.asyncDispose]: async () => await observer.close() };
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

async function repeated(client: Client, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await client.query('SELECT 1');
}

describe('a pooler is unavailable', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fair-bench-pooler-'));
  });
  afterAll(async () => await rm(folder, { recursive: true }));
  afterEach(() => vi.unstubAllEnvs());

  test('without its program, with the remedy', async () => {
    vi.stubEnv('FAIR_BENCH_PGDOG_BIN', '');
    vi.stubEnv('PATH', folder);
    vi.stubEnv('XDG_CACHE_HOME', folder);
    expect(await route.probe(optionsFor('pgdog'))).toEqual({
      available: false,
      reason: 'no program of PgDog was found on this machine',
      remedy: expect.stringContaining('FAIR_BENCH_PGDOG_BIN'),
    });
  });

  const ofVersion = async (version: string, needsPrepared: boolean) => {
    const program = join(folder, `pgbouncer-${version}`);
    await writeFile(program, `#!/bin/sh\necho 'PgBouncer ${version}'\n`);
    await chmod(program, 0o755);
    vi.stubEnv('FAIR_BENCH_PGBOUNCER_BIN', program);
    return await missingPooler(optionsFor('pgbouncer'), needsPrepared);
  };

  test('of a version that loses prepared statements, where a route needs them', async () => {
    expect(await ofVersion('1.18.0', true)).toMatchObject({
      reason: expect.stringContaining('PgBouncer 1.18.0 loses prepared statements between transactions'),
      remedy: expect.stringContaining('1.21'),
    });
    expect(await ofVersion('1.18.0', false)).toBeNull();
    expect(await ofVersion('1.21.0', true)).toBeNull();
    expect(await ofVersion('2.0.1', true)).toBeNull();
  });

  test('with threads that it cannot have', async () => {
    const program = join(folder, 'pgbouncer-threads');
    await writeFile(program, `#!/bin/sh\necho 'PgBouncer 1.24.1'\n`);
    await chmod(program, 0o755);
    vi.stubEnv('FAIR_BENCH_PGBOUNCER_BIN', program);
    expect(await missingPooler({ ...optionsFor('pgbouncer'), poolerWorkers: 4 }, false)).toMatchObject({
      reason: 'PgBouncer has one thread',
    });
    expect(await missingPooler({ ...optionsFor('none'), poolerWorkers: 4 }, false)).toBeNull();
  });

  test('before a server by a URL with parameters', async () => {
    const program = join(folder, 'pgbouncer-any');
    await writeFile(program, `#!/bin/sh\necho 'PgBouncer 1.24.1'\n`);
    await chmod(program, 0o755);
    vi.stubEnv('FAIR_BENCH_PGBOUNCER_BIN', program);
    const url = 'postgres://u:p@127.0.0.1:1/d?sslmode=require';
    expect(await missingPooler({ ...optionsFor('pgbouncer'), url }, false)).toMatchObject({
      reason: expect.stringContaining('this one has parameters'),
    });
  });
});
