import type { Row } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { reasonOf, lying, trial, withRows } from './simulation.ts';

/** Answers with each row as it was at its first read. */
const stale = (name: string) => {
  const first = new Map<string, Row>();
  return lying(name, 1, (call, bench) =>
    withRows(bench.honest(call), (rows) =>
      rows.map((row) => {
        const known = first.get(String(row[0])) ?? row;
        first.set(String(row[0]), known);
        return row.with(1, known[1] ?? '');
      }),
    ),
  );
};

test('a read of a value that was overwritten before', async () => {
  expect(await reasonOf(trial(stale('look')))).toMatch(
    /in an order that no order of the operations explains: item.label of row/,
  );
});

test('a scan of values that were overwritten before', async () => {
  expect(await reasonOf(trial(stale('list')))).toMatch(
    /in an order that no order of the operations explains: item.label of row/,
  );
});

test('a read that misses a row whose insert was acknowledged before', async () => {
  const liar = lying('list', 1, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.filter(([id]) => Number(id) < 40)),
  );
  expect(await reasonOf(trial(liar))).toMatch(/scans that left out an existing row/);
});

test('a read of a sum that never was', async () => {
  const liar = lying('look', 100, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.map((row) => row.with(3, 10_000_000n))),
  );
  expect(await reasonOf(trial(liar))).toMatch(
    /item.stock of row \d+ is 10000000, outside -?\d+ to \d+, read by operation/,
  );
});
