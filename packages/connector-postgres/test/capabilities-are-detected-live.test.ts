import { Client } from 'pg';
import { defaultTargetSettings, type TargetOptions } from '@fair-bench/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { detectCapabilities } from '../src/capabilities.ts';
import { probeFor } from '../src/probe.ts';
import { poolerVersion, startPooler } from './support/pooler.ts';
import { boxes } from './support/boxes/workload.ts';
import { seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

let theirs: TestServer;
const pgbouncer = await poolerVersion();

beforeAll(async () => {
  theirs = await startServer();
});
afterAll(async () => {
  await theirs.close();
});

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** The URL of a new database on the server, prepared by statements in it. */
async function databaseWith(name: string, ...statements: readonly string[]): Promise<string> {
  await run(theirs.service.url, `CREATE DATABASE ${name}`);
  const url = new URL(theirs.service.url);
  url.pathname = `/${name}`;
  await run(url.href, ...statements);
  return url.href;
}

const optionsAt = (url: string): TargetOptions => ({
  ...defaultTargetSettings,
  url,
  sessionsMax: 8,
  depthMax: 1,
  threadsMax: 1,
  batchMax: 1,
  workload: boxes,
});
const oneCall = probeFor(['preparedStatements', 'functions'], 'sessions');
const statements = probeFor(['preparedStatements'], 'sessions');

test('a server without a pooler has everything', async () => {
  expect(await detectCapabilities(theirs.service.url, soon())).toEqual({
    pooling: 'none',
    preparedStatements: true,
    functions: true,
  });
});

describe('a pooler before the server', () => {
  beforeEach((context) => context.skip(pgbouncer === null, 'pgbouncer is not installed'));

  test.each([3, 1])('in transaction mode is detected, with a pool of %i', async (poolSize) => {
    const pooler = await startPooler(theirs.service.url, { mode: 'transaction', poolSize });
    try {
      const { pooling } = await detectCapabilities(pooler.url, soon());
      expect(pooling).toBe('transaction');
    } finally {
      await pooler.close();
    }
  });

  test('that loses prepared statements makes every route unavailable, with the remedy', async () => {
    const pooler = await startPooler(theirs.service.url, { mode: 'transaction', poolSize: 3 });
    try {
      expect(await detectCapabilities(pooler.url, soon())).toMatchObject({ preparedStatements: false });
      for (const probe of [oneCall, statements]) {
        expect(await probe(optionsAt(pooler.url))).toMatchObject({
          available: false,
          reason: expect.stringContaining('a pooler in transaction mode'),
          remedy: expect.stringContaining('session mode'),
        });
      }
      await expect(startServer({ url: pooler.url })).rejects.toThrow('a pooler in transaction mode');
    } finally {
      await pooler.close();
    }
  });

  test('in session mode makes no difference', async () => {
    const pooler = await startPooler(theirs.service.url, { mode: 'session', poolSize: 8 });
    try {
      expect(await detectCapabilities(pooler.url, soon())).toEqual({
        pooling: 'none',
        preparedStatements: true,
        functions: true,
      });
      expect(await oneCall(optionsAt(pooler.url))).toMatchObject({ available: true });
    } finally {
      await pooler.close();
    }
  });
});

describe('a database without PL/pgSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await databaseWith('no_plpgsql', 'DROP EXTENSION plpgsql');
  });

  test('has no one-call route, and gives the reason and the alternative', async () => {
    expect(await oneCall(optionsAt(url))).toEqual({
      available: false,
      reason: expect.stringContaining('no PL/pgSQL function can be created there'),
      remedy: expect.stringContaining('the route drizzle, which needs none'),
    });
  });

  test('serves the route of statements', async () => {
    expect(await statements(optionsAt(url))).toMatchObject({ available: true });
    const server = await startServer({ url });
    await seedBoxes(server.service, 10, 1n);
    await server.close();
  });
});

test('for a user who may not see the statistics there is no counter of commits', async () => {
  const url = await databaseWith(
    'no_statistics',
    "CREATE ROLE blind LOGIN PASSWORD 'blind'",
    'REVOKE SELECT ON pg_catalog.pg_stat_database FROM PUBLIC',
    'GRANT CREATE ON DATABASE no_statistics TO blind',
  );
  const blind = new URL(url);
  blind.username = 'blind';
  blind.password = 'blind';
  const server = await startServer({ url: blind.href });
  try {
    expect(await server.service.counters({}, soon())).toEqual({});
  } finally {
    await server.close();
  }
});
