import { expect, test } from 'vitest';
import { suiteTarget, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { connect } from '../src/connection.ts';
import connector from '../src/index.ts';

const { lacking, target } = await suiteTarget(routeOf(connector, 'driver'), await workloadNamed('objects'));

// Why the binding of objects uses neither: docs/your-own-transaction.md says so.
test('a period has times as its ends, no integers, and no generated columns', async ({ skip }) => {
  if (lacking !== null) skip(lacking);
  const connection = await connect(target().deployment.endpoint.url);
  const create = async (ends: string, more = '') =>
    await connection.query(
      `CREATE TABLE fair_bench.period (code bigint, ${ends}, PERIOD FOR valid (first, last)${more})`,
      [],
    );
  const key = ', PRIMARY KEY (code, valid WITHOUT OVERLAPS)';
  await expect(create('first bigint, last bigint')).rejects.toThrow(/Incorrect column specifier/);
  const generated = 'n bigint, first datetime(6) AS (from_unixtime(n)) PERSISTENT, last datetime(6)';
  await expect(create(generated)).rejects.toThrow(/cannot be used in the GENERATED ALWAYS AS clause/);
  await expect(create('first datetime(6), last datetime(6)', key)).resolves.toEqual([]);
  await connection.end();
});

test('a table with system versions is not truncated', async ({ skip }) => {
  if (lacking !== null) skip(lacking);
  const connection = await connect(target().deployment.endpoint.url);
  await connection.query('ALTER TABLE fair_bench.version ADD SYSTEM VERSIONING', []);
  await expect(target().deployment.tables.clear(0, AbortSignal.timeout(10_000))).rejects.toThrow(
    /System-versioned tables do not support TRUNCATE TABLE/,
  );
  await connection.query('ALTER TABLE fair_bench.version DROP SYSTEM VERSIONING', []);
  await connection.end();
});
