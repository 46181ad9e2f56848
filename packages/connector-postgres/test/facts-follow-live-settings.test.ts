import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeStorage, losesInPowerCut } from '@fair-bench/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { factsFromSettings } from '../src/settings.ts';
import { type TestServer, startServer } from './support/provision.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterEach(async () => {
  await run(
    'ALTER SYSTEM RESET ALL',
    'ALTER DATABASE postgres RESET ALL',
    'ALTER ROLE fair_bench RESET ALL',
    'SELECT pg_reload_conf()',
  );
});

afterAll(async () => {
  await server.close();
});

async function run(...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server.service.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function facts(): Promise<ReturnType<typeof factsFromSettings>> {
  const session = await server.session();
  try {
    return factsFromSettings(await (await session.connection()).settings());
  } finally {
    await session.close();
  }
}

test('a fresh server is durable, read committed and on a disk', async () => {
  const { system, durability, isolation, settings, dataDirectory, tablespaces } = await facts();
  expect(system).toEqual({ name: 'PostgreSQL', version: expect.stringMatching(/^18\.\d+$/) });
  expect({ durability, isolation }).toEqual({ durability: 'durable', isolation: 'read-committed' });
  expect(settings).toMatchObject({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    wal_level: 'replica',
  });
  const storage = await server.service.storage(dataDirectory, tablespaces);
  expect(storage.directory).toBe(dataDirectory);
  expect(['tmpfs', 'ramfs', 'unknown']).not.toContain(storage.fileSystem);
  const { fileSystem } = storage;
  expect(storage.parts).toEqual([{ holds: 'log', directory: null, fileSystem }]);
  expect(losesInPowerCut(storage)).toBe(false);
});

test('a tablespace in memory is a fact, and loses what is in it in a power cut', async ({ skip }) => {
  const memory = '/dev/shm';
  if (!existsSync(memory)) skip(`there is no ${memory} here`);
  const folder = await mkdtemp(join(memory, 'fair-bench-tablespace-'));
  // The server's own user must own it.
  const { uid, gid } = await stat((await facts()).dataDirectory ?? '');
  await chown(folder, uid, gid);
  try {
    await run(`CREATE TABLESPACE quick LOCATION '${folder}'`);
    const { dataDirectory, tablespaces } = await facts();
    const storage = await server.service.storage(dataDirectory, tablespaces);
    expect(describeStorage(storage)).toMatch(/^\w+, log on \w+, tablespace quick on tmpfs$/);
    expect(losesInPowerCut(storage)).toBe(true);
  } finally {
    await run('DROP TABLESPACE IF EXISTS quick');
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  ['ALTER DATABASE postgres SET synchronous_commit = off', 'async'],
  ['ALTER ROLE fair_bench SET synchronous_commit = off', 'async'],
  ['ALTER DATABASE postgres SET synchronous_commit = local', 'durable'],
])('%s: %s', async (statement, durability) => {
  await run(statement);
  expect((await facts()).durability).toBe(durability);
});

test('an existing session sees a changed setting, too', async () => {
  const session = await server.session();
  try {
    expect(factsFromSettings(await (await session.connection()).settings()).settings['commit_siblings']).toBe(
      '5',
    );
    await run('ALTER SYSTEM SET commit_siblings = 7', 'SELECT pg_reload_conf()');
    // The reload reaches an idle session with its next statement, once the signal has arrived.
    await expect
      .poll(
        async () =>
          factsFromSettings(await (await session.connection()).settings()).settings['commit_siblings'],
      )
      .toBe('7');
  } finally {
    await session.close();
  }
});

test.each([
  ['serializable', 'serializable'],
  ['repeatable read', 'snapshot'],
  ['read uncommitted', 'read-committed'],
])('default_transaction_isolation %s is %s', async (setting, isolation) => {
  await run(`ALTER DATABASE postgres SET default_transaction_isolation = '${setting}'`);
  const found = await facts();
  expect(found.isolation).toBe(isolation);
  expect(found.settings['transaction_isolation']).toBe(setting);
});

test('async durability is requested of the sessions, and read from them', async () => {
  const asyncServer = await startServer({ durability: 'async' });
  try {
    const session = await asyncServer.session();
    expect(factsFromSettings(await (await session.connection()).settings()).durability).toBe('async');
    await session.close();
  } finally {
    await asyncServer.close();
  }
});

test('a setting that cannot be read is an error, not a guess', () => {
  expect(() => factsFromSettings({ server_version: '18.4', fsync: 'on' })).toThrow('synchronous_commit');
});

test('an unlogged table, which a trigger of the server can make of any, is not durable', async () => {
  try {
    await run(
      'CREATE SCHEMA IF NOT EXISTS fair_bench',
      'CREATE TABLE fair_bench.watched (id int)',
      // A binding's own view keeps no rows.
      'CREATE VIEW fair_bench.seen AS SELECT id FROM fair_bench.watched',
      `CREATE FUNCTION unlog() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        ALTER TABLE IF EXISTS fair_bench.made SET UNLOGGED; END $$`,
      "CREATE EVENT TRIGGER unlog ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION unlog()",
    );
    expect(await facts()).toMatchObject({ durability: 'durable' });
    await run('CREATE TABLE fair_bench.made (id int)');
    expect(await facts()).toMatchObject({
      durability: 'none',
      settings: { 'fair_bench.unlogged': 'made' },
    });
  } finally {
    await run(
      'DROP EVENT TRIGGER IF EXISTS unlog',
      'DROP FUNCTION IF EXISTS unlog',
      'DROP SCHEMA fair_bench CASCADE',
    );
  }
});

test('a table whose rows are in others, of which nothing is known here, is not durable', async () => {
  try {
    await run(
      'CREATE SCHEMA IF NOT EXISTS fair_bench',
      'CREATE TABLE fair_bench.parted (id int) PARTITION BY RANGE (id)',
      'CREATE UNLOGGED TABLE public.part PARTITION OF fair_bench.parted DEFAULT',
    );
    expect(await facts()).toMatchObject({
      durability: 'none',
      settings: { 'fair_bench.unlogged': 'parted' },
    });
  } finally {
    await run('DROP SCHEMA fair_bench CASCADE');
  }
});
