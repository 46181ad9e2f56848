import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresService } from '@fair-bench/connector-postgres';
import { Client } from 'pg';
import { honestRun } from './support/honest-run.ts';
import { startUsersServer } from './support/users-server.ts';

const testTimeoutMs = 100_000;
let scratch = '';
let close: () => Promise<void> = async () => {};
let server: PostgresService;

beforeAll(async () => {
  ({ scratch, close, server } = await startUsersServer());
}, testTimeoutMs);
afterAll(async () => await close());

async function setSyncMethod(method: string): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`ALTER SYSTEM SET wal_sync_method = ${method}`);
    await client.query('SELECT pg_reload_conf()');
    await expect
      .poll(async () => (await client.query<{ wal_sync_method: string }>('SHOW wal_sync_method')).rows)
      .toEqual([{ wal_sync_method: method }]);
  } finally {
    await client.end();
  }
}

// Those of Linux; with open_datasync and open_sync no flush follows the write, which is one.
test.each(chosen(['fdatasync', 'fsync', 'open_datasync', 'open_sync'], (one) => one === 'open_datasync'))(
  'an honest PostgreSQL with wal_sync_method %s is measured, and its flushes are counted',
  async (method) => {
    await setSyncMethod(method);
    const system = ['--systems', 'postgres-driver', '--url', `postgres=${server.url}`];
    const { perFlush } = await honestRun(scratch, system);
    // Of 8 sessions with one operation in flight each, a flush covers one at least and all at most.
    expect(perFlush).toBeGreaterThan(0.5);
    expect(perFlush).toBeLessThan(9);
  },
  testTimeoutMs,
);
