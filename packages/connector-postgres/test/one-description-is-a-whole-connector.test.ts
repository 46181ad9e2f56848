import { expect, test } from 'vitest';
import { routeOf } from '@fair-bench/contract';
import type { Cell, SqlSystem } from '@fair-bench/sql';
import { sqlConnector } from '@fair-bench/sql/connector';
import { startLoneTarget } from '@fair-bench/supervisor';
import { Client } from 'pg';
import { withClient } from '../src/connection.ts';
import { boxes } from './support/boxes/workload.ts';
import { pages, soon, startServer } from './support/provision.ts';

/** PostgreSQL as a system that is described to `sqlConnector`, and nothing else. */
const system: SqlSystem = {
  name: 'postgres',
  title: 'Described',
  remedy: 'start one',
  async connect(url) {
    const client = new Client({ connectionString: url });
    await client.connect();
    return {
      query: async (text, parameters) =>
        (await client.query<Cell[]>({ text, values: [...parameters], rowMode: 'array' })).rows,
      end: async () => await client.end(),
    };
  },
  dialect: {
    cascade: 'CASCADE',
    parameter: (number) => `$${number}`,
    typeOf: ({ kind }) =>
      ({ text: 'text', bytes: 'bytea', bool: 'boolean', key: 'bigint', int64: 'bigint' })[kind],
    lists: 'arrays',
  },
  version: 'SHOW server_version',
  settings: `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')`,
  durabilityOf: ({ fsync }) => (fsync === 'on' ? 'durable' : 'none'),
  isolationOf: () => 'read-committed',
  fairProfile: [],
  faults: { codeOf: () => null, refused: {}, rolledBack: () => false },
  wireProtocol: 'described',
};

test('a server by its URL: tables, facts, an observer, and nothing of ours is left in it', async () => {
  const server = await startServer();
  try {
    const url = new URL(server.service.url);
    await rowsOf(url.href, 'CREATE DATABASE theirs');
    url.pathname = '/theirs';
    const route = routeOf(sqlConnector(system, 'driver'), 'driver');
    const options = { url: url.href, workload: boxes };
    const target = await startLoneTarget(route, options);
    const { deployment } = target;
    await deployment.tables.load(
      0,
      pages([
        [0, 5n],
        [1, 7n],
      ]),
      soon(),
    );
    await deployment.prepare(soon());

    const settings = { fsync: 'on', synchronous_commit: 'on' };
    expect(await deployment.facts(soon())).toMatchObject({
      system: { name: 'Described', version: expect.stringMatching(/^\d+\.\d+/) },
      provider: 'url',
      durability: 'durable',
      isolation: 'read-committed',
      settings,
      wireProtocol: 'described',
      writersMax: 50,
    });
    const observer = await deployment.observe(soon());
    expect(await observer.read?.(0, [[1], [2]])).toEqual([[1, 7n]]);
    expect(await observer.settings?.()).toEqual(settings);
    expect([observer.committed, observer.committedHasReads]).toEqual([null, false]);
    await observer.close();

    const schemas = `SELECT FROM information_schema.schemata WHERE schema_name = 'fair_bench'`;
    expect(await rowsOf(url.href, schemas)).toBe(1);
    await target.close();
    expect(await rowsOf(url.href, schemas)).toBe(0);
  } finally {
    await server.close();
  }
}, 60_000);

/** How many rows a statement has. */
async function rowsOf(connectionString: string, text: string): Promise<number> {
  return await withClient(
    { connectionString },
    soon(),
    async (client) => (await client.query(text)).rows.length,
  );
}
