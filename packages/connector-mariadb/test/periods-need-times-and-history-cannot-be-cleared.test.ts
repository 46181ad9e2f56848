import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { connect } from '../src/connection.ts';
import connector from '../src/index.ts';

const route = routeOf(connector, 'driver');
const options = { ...loneTargetOptions, workload: targetWorkload(await workloadNamed('objects')) };
const availability = await route.probe(options);
const lacking = availability.available ? null : `${availability.reason}; ${availability.remedy}`;
let target: LoneTarget;

beforeAll(async () => {
  if (lacking === null) target = await startLoneTarget(route, options);
});
afterAll(async () => {
  if (lacking === null) await target.close();
});

// Why the binding of objects uses neither: docs/your-own-transaction.md says so.
test('a period has times as its ends, no integers, and no generated columns', async ({ skip }) => {
  if (lacking !== null) skip(lacking);
  const connection = await connect(target.deployment.endpoint.url);
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
  const connection = await connect(target.deployment.endpoint.url);
  await connection.query('ALTER TABLE fair_bench.version ADD SYSTEM VERSIONING', []);
  await expect(target.deployment.tables.clear(0, AbortSignal.timeout(10_000))).rejects.toThrow(
    /System-versioned tables do not support TRUNCATE TABLE/,
  );
  await connection.query('ALTER TABLE fair_bench.version DROP SYSTEM VERSIONING', []);
  await connection.end();
});
