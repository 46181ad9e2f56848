import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCounters } from '../src/counters.ts';
import { observePostgres } from '../src/observer.ts';
import { timedSessionConfig } from '../src/connection.ts';
import { PooledBackend } from '@fair-bench/rpc/server';
import { preparedDatabase } from '../src/pooled.ts';
import {
  moving,
  prepared,
  runLoad,
  seedBoxes,
  soon,
  startServer,
  type TestServer,
} from './support/provision.ts';

const applicationName = 'fair-bench counted';
/** Reading the counters and opening connections are transactions too. */
const overheadMax = 60;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await seedBoxes(server.service, 1_000, 1_000_000n);
});

afterAll(async () => {
  await server.close();
});

test('every acknowledged operation is in the counter when the sessions have closed', async () => {
  const { service } = server;
  const before = await service.counters({ applicationName }, soon());
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async () => await server.session(applicationName)),
  );
  const counts = await runLoad(sessions, 50, (session, operation) => moving(session, 100 + operation, 1n));
  await Promise.all(sessions.map(async (session) => await session.close()));
  const after = await service.counters({ applicationName }, soon());
  expect(counts).toEqual({ applied: 1_000 });
  const commits = (after.commits ?? 0) - (before.commits ?? 0);
  expect(commits).toBeGreaterThanOrEqual(1_000);
  expect(commits).toBeLessThan(1_000 + overheadMax);
  // At most 20 sessions commit at the same time, so one flush serves at most 20 commits.
  expect((after.flushes ?? 0) - (before.flushes ?? 0)).toBeGreaterThanOrEqual(1_000 / 20);
});

test('only scans of our tables are counted, and none where the server does not count them', async () => {
  const client = new Client({ connectionString: server.service.url });
  await client.connect();
  try {
    const scans = async () => (await readCounters(client, {}, soon())).scans;
    const before = await scans();
    await client.query(
      'CREATE TEMP TABLE other AS SELECT 1; SELECT * FROM other; SELECT pg_stat_force_next_flush()',
    );
    expect(await scans()).toBe(before);
    await client.query('SELECT FROM fair_bench.box LIMIT 1; SELECT pg_stat_force_next_flush()');
    expect(await scans()).toBe((before ?? 0) + 1);
    await client.query('SET track_counts = off');
    expect(await scans()).toBeUndefined();
  } finally {
    await client.end();
  }
});

test('a flush that no session waited for is not counted', async () => {
  const { service } = server;
  const before = await service.counters({ applicationName }, soon());
  const options = '-c synchronous_commit=off';
  const client = new Client({ connectionString: service.url, application_name: applicationName, options });
  await client.connect();
  // The walwriter flushes every 200 ms.
  for (let commit = 0; commit < 20; commit += 1) {
    await client.query('SELECT pg_current_xact_id()');
    await sleep(50);
  }
  await client.end();
  const after = await service.counters({ applicationName }, soon());
  expect((after.flushes ?? 0) - (before.flushes ?? 0)).toBeLessThan(3);
});

test('rows of one transaction are counted if it began to write after the observer was opened', async () => {
  const { service } = server;
  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: service.url });
    await client.connect();
    return client;
  };
  const [client, other] = [await connect(), await connect()];
  const add = async (by: Client, from: number, to: number): Promise<unknown> =>
    await by.query(`UPDATE fair_bench.box SET items = items + 1 WHERE id BETWEEN ${from} AND ${to}`);
  await other.query('BEGIN');
  await add(other, 101, 110);
  await add(client, 1, 100);
  const observer = await observePostgres(service, soon());
  const { lastWriters } = observer;
  try {
    expect(await lastWriters?.rowsMost()).toEqual([0, 0, 0]);
    await add(client, 1, 3);
    await add(client, 3, 4);
    expect(await lastWriters?.rowsMost()).toEqual([2, 0, 0]);
    expect(await lastWriters?.subtransactionsMost?.()).toBe(0);
    // Work on other tables of the same database.
    await client.query(
      'BEGIN; CREATE TEMP TABLE other (id int); SAVEPOINT one; INSERT INTO other VALUES (1)',
    );
    expect(await lastWriters?.subtransactionsMost?.()).toBe(0);
    await client.query('ROLLBACK');
    await other.query('SAVEPOINT one');
    await add(other, 201, 205);
    await other.query('RELEASE one; SAVEPOINT another');
    expect(await lastWriters?.subtransactionsMost?.()).toBe(1);
    await add(other, 206, 206);
    expect(await lastWriters?.subtransactionsMost?.()).toBe(2);
    await other.query('COMMIT');
    // A subtransaction counts by itself.
    expect(await lastWriters?.rowsMost()).toEqual([5, 0, 0]);
    await client.query('VACUUM (FREEZE) fair_bench.box');
    expect(await lastWriters?.rowsMost()).toEqual([5, 0, 0]);
  } finally {
    await Promise.all([client.end(), other.end(), observer.close()]);
  }
});

test('a pool reports when it is closed', async () => {
  const { service } = server;
  const config = timedSessionConfig(service.url, 'fair-bench pool');
  const pool = await PooledBackend.open(preparedDatabase(config, prepared), 8);
  try {
    const before = await service.counters({}, soon());
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => await pool.execute(...moving(index, index + 1, 1n))),
    );
    expect(outcomes.filter(({ kind }) => kind === 'applied')).toHaveLength(400);
    await pool.close();
    const after = await service.counters({}, soon());
    const commits = (after.commits ?? 0) - (before.commits ?? 0);
    expect(commits).toBeGreaterThanOrEqual(400);
    expect(commits).toBeLessThan(400 + overheadMax);
  } finally {
    await pool.close();
  }
});

test('sessions that never close are an error with their name, not an incomplete count', async () => {
  const session = await server.session('fair-bench lingering');
  try {
    await expect(
      server.service.counters({ applicationName: 'fair-bench lingering' }, soon()),
    ).rejects.toThrow('1 sessions named fair-bench lingering still exist');
  } finally {
    await session.close();
  }
});
