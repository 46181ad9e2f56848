import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultTargetSettings } from '@fair-bench/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresService, startPostgres } from '@fair-bench/connector-postgres';
import { createSupervisor } from '@fair-bench/supervisor';
import { Client } from 'pg';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

const testTimeoutMs = 100_000;
let scratch = '';
let close: () => Promise<void> = async () => {};
let server: PostgresService;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-sync-'));
  const supervisor = createSupervisor({ logDirectory: join(scratch, 'logs') });
  close = async () => {
    await supervisor.stopAll();
    await rm(scratch, { recursive: true, force: true });
  };
  server = await startPostgres({
    target: 'server-of-the-user',
    options: {
      ...defaultTargetSettings,
      workload: null,
      poolSize: 8,
      sessionsMax: 20,
      depthMax: 1,
      threadsMax: 1,
      batchMax: 1,
    },
    supervisor,
    signal: AbortSignal.timeout(60_000),
    shared: async (_key, start) => await start(),
  });
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
test.each(['fdatasync', 'fsync', 'open_datasync', 'open_sync'])(
  'an honest PostgreSQL with wal_sync_method %s is measured, and its flushes are counted',
  async (method) => {
    await setSyncMethod(method);
    const system = ['--systems', 'postgres-driver', '--url', `postgres=${server.url}`];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...system, '--trials', '2', '--out', to]),
    );
    expect(code, output).toBe(0);
    const { cells, verdict } = await readSummary(out);
    expect(verdict.trials).toEqual({ audited: 2, void: 0 });
    const [cell] = cells;
    const perFlush = cell?.status === 'ok' ? (cell.operationsPerFlush ?? 0) : 0;
    // Of 8 sessions with one operation in flight each, a flush covers one at least and all at most.
    expect(perFlush).toBeGreaterThan(0.5);
    expect(perFlush).toBeLessThan(9);
  },
  testTimeoutMs,
);
