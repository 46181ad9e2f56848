import { Client } from 'pg';
import { defaultTargetSettings, schemaVariable } from '@fair-bench/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '@fair-bench/supervisor';
import { factsFromSettings } from '../src/settings.ts';
import { probeFor } from '../src/probe.ts';
import { redactUrl } from '@fair-bench/supervisor';
import { boxes } from './support/boxes/workload.ts';
import {
  moving,
  nameOf,
  readBoxes,
  seedBoxes,
  soon,
  startServer,
  type TestServer,
} from './support/provision.ts';

/** A user's server: started here, but reached only by its URL. */
let theirs: TestServer;
/** The URL of a user without privileges, whose password is `open-sesame`. */
let url: string;

const options = {
  ...defaultTargetSettings,
  poolSize: 8,
  sessionsMax: 50,
  depthMax: 1,
  threadsMax: 1,
  batchMax: 1,
  workload: boxes,
} as const;

beforeAll(async () => {
  theirs = await startServer();
  await run("CREATE ROLE guest LOGIN PASSWORD 'open-sesame'", 'CREATE DATABASE app OWNER guest');
  const guest = new URL(theirs.service.url);
  guest.username = 'guest';
  guest.password = 'open-sesame';
  guest.pathname = '/app';
  url = guest.href;
});

afterAll(async () => {
  await theirs.close();
});

/** Its owner's URL of the guest's database. */
function theirDatabase(): string {
  const database = new URL(theirs.service.url);
  database.pathname = '/app';
  return database.href;
}

const objectsOfShop = `SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = 'shop'::regnamespace)
  + (SELECT count(*) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace)
  + (SELECT count(*) FROM pg_type WHERE typnamespace = 'shop'::regnamespace) AS objects`;

async function run(...statements: readonly string[]): Promise<void> {
  await runAt(theirs.service.url, ...statements);
}

async function runAt(target: string, ...statements: readonly string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: target });
  await client.connect();
  try {
    const rows: unknown[] = [];
    for (const statement of statements) rows.push(...(await client.query(statement)).rows);
    return rows;
  } finally {
    await client.end();
  }
}

test('works as a user without privileges, starts nothing, and removes its schema', async () => {
  const server = await startServer({ url });
  const { service } = server;
  try {
    expect(service).toMatchObject({ provider: 'url', processes: [] });
    expect(service.settings['fair_bench.checkpoint']).toBe('not permitted to this user');
    await seedBoxes(service, 100, 10n);
    await service.prepare(soon());
    const session = await server.session();
    expect(nameOf(await session.execute(...moving(1, 2, 1n)))).toBe('applied');
    const { durability, dataDirectory } = factsFromSettings(await (await session.connection()).settings());
    await session.close();
    expect({ durability, dataDirectory }).toEqual({ durability: 'durable', dataDirectory: null });
    expect(await service.storage(dataDirectory, [])).toEqual({ directory: null, fileSystem: 'unknown' });
    expect((await service.counters({ applicationName: 'fair-bench test' }, soon())).commits).toBeGreaterThan(
      0,
    );
  } finally {
    await server.close();
  }
  expect(await runAt(url, "SELECT nspname FROM pg_namespace WHERE nspname = 'fair_bench'")).toEqual([]);
});

test('a URL can change settings of its sessions, and the facts show it', async () => {
  const server = await startServer({
    url: `${url}?options=${encodeURIComponent('-c synchronous_commit=off')}`,
  });
  try {
    const session = await server.session();
    expect(factsFromSettings(await (await session.connection()).settings()).durability).toBe('async');
    await session.close();
  } finally {
    await server.close();
  }
});

test("a user's schema with our name is not touched", async () => {
  await runAt(url, 'CREATE SCHEMA fair_bench', 'CREATE TABLE fair_bench.precious AS SELECT 1 AS kept');
  try {
    await expect(startServer({ url })).rejects.toThrow('a schema fair_bench that is not ours');
    expect(await runAt(url, 'SELECT kept FROM fair_bench.precious')).toEqual([{ kept: 1 }]);
  } finally {
    await runAt(url, 'DROP SCHEMA fair_bench CASCADE');
  }
});

test('a role that may make no schema names an empty one, which is left empty; without it the probe says what to do', async () => {
  await run("CREATE ROLE clerk LOGIN PASSWORD 'open-sesame'");
  await runAt(theirDatabase(), 'CREATE SCHEMA shop', 'GRANT USAGE, CREATE ON SCHEMA shop TO clerk');
  const clerk = new URL(url);
  clerk.username = 'clerk';
  const probe = async () => await probeFor([], 'sessions')({ ...options, url: clerk.href });
  expect(await probe()).toMatchObject({
    available: false,
    reason: expect.stringContaining('its user may not create the schema fair_bench in this database'),
    remedy: expect.stringContaining('--schema'),
  });
  process.env[schemaVariable] = 'shop';
  try {
    expect(await probe()).toMatchObject({ available: true });
    const server = await startServer({ url: clerk.href });
    try {
      await seedBoxes(server.service, 4, 10n);
      const session = await server.session();
      expect(nameOf(await session.execute(...moving(0, 1, 5n)))).toBe('applied');
      await session.close();
      expect(await readBoxes(server.service)).toEqual(
        new Map([
          [0, 5n],
          [1, 15n],
          [2, 10n],
          [3, 10n],
        ]),
      );
    } finally {
      await server.close();
    }
    expect(await runAt(theirDatabase(), objectsOfShop)).toEqual([{ objects: '0' }]);
    await runAt(theirDatabase(), "CREATE TYPE shop.mood AS ENUM ('good')");
    expect(await probe()).toMatchObject({
      available: false,
      reason: expect.stringContaining('a schema shop that is not ours is in this database'),
    });
  } finally {
    delete process.env[schemaVariable];
  }
});

test('the probe reads the version of a server that answers, and starts nothing for the embedded one', async () => {
  expect(await probeFor([], 'sessions')({ ...options, url })).toEqual({
    available: true,
    provider: 'url',
    version: expect.stringMatching(/^18\./),
  });
  expect(await probeFor([], 'sessions')(options)).toEqual({
    available: true,
    provider: 'embedded',
    version: expect.stringMatching(/^18\.\d+$/),
  });
});

test.each([
  [
    'nobody listens',
    async () => `postgres://guest:open-sesame@127.0.0.1:${await freePort()}/app`,
    'ECONNREFUSED',
  ],
  [
    'the password is wrong',
    async () => await Promise.resolve(url.replace('sesame', 'barley')),
    'password authentication failed',
  ],
  [
    'there is no such database',
    async () => await Promise.resolve(url.replace('/app', '/none')),
    'does not exist',
  ],
  [
    'it is no PostgreSQL URL',
    async () => await Promise.resolve('http://guest:open-sesame@127.0.0.1/'),
    'postgres://',
  ],
])('a URL that fails is reported without its password: %s', async (_, makeUrl, fact) => {
  const refused = await makeUrl();
  const shown = redactUrl(refused);
  const error = await startServer({ url: refused }).then(
    () => 'it started',
    (reason: unknown) => String(reason),
  );
  expect(error).toContain(`postgres-test: PostgreSQL at ${shown}: `);
  expect(error).toContain(fact);
  const availability = await probeFor([], 'sessions')({ ...options, url: refused });
  expect(availability).toMatchObject({ available: false, reason: expect.stringContaining(fact) });
  expect(error + JSON.stringify(availability)).not.toMatch(/open-(sesame|barley)/);
});

test('a password in the query of a URL is not shown, and neither is what cannot be parsed', () => {
  expect(redactUrl('postgres://u@h/d?password=hush&sslmode=require')).toBe(
    'postgres://u@h/d?password=***&sslmode=require',
  );
  expect(redactUrl('postgres://u:hush@h:port/d')).not.toContain('hush');
});
