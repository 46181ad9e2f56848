import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '../src/connection.ts';
import { pages, readBoxes, seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

const count = 20_000;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.close();
});

/** Sizes, statistics and dead rows of the tables and indexes, except the copies. */
const stateText = `
  SELECT relname, relpages, reltuples, relallvisible, pg_relation_size(oid) AS bytes,
    (SELECT jsonb_agg(jsonb_build_array(attname, n_distinct, null_frac, correlation) ORDER BY attname)
       FROM pg_stats WHERE schemaname = 'fair_bench' AND tablename = relname) AS statistics
  FROM pg_class
  WHERE relnamespace = 'fair_bench'::regnamespace AND relkind IN ('r', 'i') AND relname NOT LIKE 'copy %'
  ORDER BY relname`;

async function query(text: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  await withClient({ connectionString: server.service.url }, soon(), async (client) => {
    rows.push(...(await client.query(text)).rows);
  });
  return rows;
}

test('a refilled table has the rows, the size, the dead rows and the statistics of one that was loaded', async () => {
  const { tables } = server.service;
  const { copies } = tables;
  if (copies === undefined) throw new Error('PostgreSQL has copies');
  await seedBoxes(server.service, count, 7n);
  const loaded = { state: await query(stateText), rows: await readBoxes(server.service) };
  await copies.keep(0, 'seeded', soon());
  const name = 'fair_bench.box';
  // Every row is written twice, and some are deleted: twice the size, dead rows, other statistics.
  for (const text of [
    `UPDATE ${name} SET items = items + id`,
    `UPDATE ${name} SET items = items * 2`,
    `DELETE FROM ${name} WHERE id % 10 = 0`,
    `ANALYZE ${name}`,
  ]) {
    await query(text);
  }
  expect(await query(stateText)).not.toEqual(loaded.state);
  expect(await copies.refill(0, 'seeded', soon())).toBe(count);
  await tables.load(0, pages([]), soon());
  expect(await readBoxes(server.service)).toEqual(loaded.rows);
  expect(await query(stateText)).toEqual(loaded.state);
}, 60_000);
