import counter from '@fair-bench/workloads/counter';
import order from '@fair-bench/workloads/order';
import transfer from '@fair-bench/workloads/transfer';
import { expect, test } from 'vitest';
import type { JsonObject } from '@fair-bench/contract';
import {
  type Canary,
  defaultParameters,
  drawCanaries,
  MemoryStore,
  Model,
  resolveWorkload,
  seededNumber,
  type Workload,
  type WorkloadDescription,
} from '../src/index.ts';
import { feed, objects, pointRead, strays, ycsb } from './paper.ts';

const count = 8;
const drawn = (description: WorkloadDescription, parameters: JsonObject = {}) => {
  const stated = { ...defaultParameters(description), ...parameters };
  return {
    workload: resolveWorkload(description, stated),
    canaries: drawCanaries(description, stated, count),
  };
};

test.each([
  ['transfer', transfer, {}],
  ['transfer of two accounts', transfer, { accounts: 2 }],
  ['counter', counter, {}],
  ['order', order, {}],
  ['objects', objects, {}],
  ['ycsb without scans', ycsb, { mix: 'a' }],
] as const)('%s: each is applied to its own rows, which no stream uses', (_name, description, parameters) => {
  const { workload, canaries } = drawn(description, parameters);
  expect(canaries).toHaveLength(count);
  const keys = canaries.flatMap((canary) => keysOf(workload, canary));
  expect(new Set(keys).size).toBe(keys.length);
  for (const { operation, values, seeded, expected } of canaries) {
    expect(expected.length).toBeGreaterThan(0);
    // The model of the whole workload, with only the canary's rows.
    const store = new MemoryStore(workload.tables.map(({ keyColumns }) => keyColumns));
    for (const { table, row } of seeded) store.put(table, row);
    expect(new Model(workload, store).execute(operation, values)).toMatchObject({ kind: 'applied' });
    for (const { table, row } of expected) {
      const tableOf = workload.tables[table];
      const key = row.slice(0, tableOf?.keyColumns).map((value) => value ?? 0);
      expect(store.get(table, key)).toEqual(row);
      expect(tableOf === undefined ? 0 : seededNumber(tableOf, key)).toBe(null);
    }
    const before = new Map(seeded.map((one) => [`${one.table} ${one.row.join(' ')}`, one]));
    expect(expected.every(({ table, row }) => !before.has(`${table} ${row.join(' ')}`))).toBe(true);
  }
});

test.each([
  ['of all', {}, [0, 1]],
  ['but one of weight 0', { increments: 0 }, [1]],
])('every operation that writes has its turn: %s', (_, parameters, turns) => {
  const { canaries } = drawn(counter, parameters);
  expect(new Set(canaries.map(({ operation }) => operation))).toEqual(new Set(turns));
});

test.each([
  ['an operation scans from a key on', ycsb, { mix: 'e' }],
  ['the server chooses the rows of a reply', feed, {}],
  ['nothing is written', pointRead, {}],
  ['the rows of the streams leave no keys', transfer, { accounts: 2 ** 32 - 2 ** 20 }],
  ['a key of a row is no key of its table, and stays in the range of the streams', strays, {}],
] as const)('there is none where %s', (_name, description, parameters) => {
  expect(drawn(description, parameters).canaries).toEqual([]);
});

/** Of the rows that it changes. */
function keysOf({ tables }: Workload, { expected }: Canary): string[] {
  return expected.map(({ table, row }) => `${table} ${row.slice(0, tables[table]?.keyColumns).join(' ')}`);
}
