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

/** Labels whose texts are in another order than their keys. */
const labels = Array.from({ length: count }, (_, id) => [
  id,
  1n,
  `text ${(id * 7_919) % count}`,
  new Uint8Array([id % 256]),
  true,
]);

test('refilled tables have the rows, the sizes, the dead rows and the statistics of loaded ones', async () => {
  const { tables } = server.service;
  const { copies } = tables;
  if (copies === undefined) throw new Error('PostgreSQL has copies');
  const readLabels = async (): Promise<unknown[]> => (await Array.fromAsync(tables.scan(1, soon()))).flat();
  await seedBoxes(server.service, count, 7n);
  await tables.load(1, pages(labels), soon());
  // An index that something depends on is filled row by row.
  await query(
    `CREATE VIEW fair_bench.texts AS SELECT box, number, text FROM fair_bench.label GROUP BY box, number`,
  );
  const loaded = {
    state: await query(stateText),
    boxes: await readBoxes(server.service),
    labels: await readLabels(),
  };
  await copies.keep(0, 'boxes', soon());
  await copies.keep(1, 'labels', soon());
  // Every row is written twice, and some are deleted: twice the size, dead rows, other statistics.
  for (const text of [
    'UPDATE fair_bench.box SET items = items + id',
    'UPDATE fair_bench.box SET items = items * 2',
    'DELETE FROM fair_bench.box WHERE id % 10 = 0',
    "UPDATE fair_bench.label SET text = 'another'",
    'ANALYZE fair_bench.box, fair_bench.label',
  ]) {
    await query(text);
  }
  expect(await query(stateText)).not.toEqual(loaded.state);
  expect(await copies.refill(0, 'boxes', soon())).toBe(count);
  expect(await copies.refill(1, 'labels', soon())).toBe(count);
  await tables.load(0, pages([]), soon());
  await tables.load(1, pages([]), soon());
  expect(await readBoxes(server.service)).toEqual(loaded.boxes);
  expect(await readLabels()).toEqual(loaded.labels);
  expect(await query(stateText)).toEqual(loaded.state);
}, 60_000);
