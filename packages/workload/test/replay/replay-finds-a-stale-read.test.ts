import type { Row } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { Cells } from '../../src/replay/cells.ts';
import { Sums } from '../../src/replay/sums.ts';
import { notes } from '../paper.ts';
import { reasonOf, lying, trial, truth, withRows } from './simulation.ts';

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

test('a read of a value that ended before its only writer was sent', () => {
  const cells = new Cells();
  const version = Uint32Array.of(1, 2);
  cells.write(0, version, 10, 20, 0);
  cells.read(0, version, 1, 5);
  cells.check({ initial: () => false, describe: () => 'a cell' });
  expect(cells.stale.examples).toEqual(['a cell: read before it was written']);
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

test('a read by key that misses a row whose insert was acknowledged before', async () => {
  expect(await reasonOf(trial(truth, { description: notes }))).toBe('');
  const liar = lying('look', 1, (call, bench) =>
    call.values[0] === 0 ? bench.honest(call) : withRows(bench.honest(call), () => []),
  );
  expect(await reasonOf(trial(liar, { description: notes }))).toMatch(
    /in an order that no order of the operations explains: note of the row inserted by/,
  );
});

test('a read of a sum that never was', async () => {
  const liar = lying('look', 100, (call, bench) =>
    withRows(bench.honest(call), (rows) => rows.map((row) => row.with(3, 10_000_000n))),
  );
  expect(await reasonOf(trial(liar))).toMatch(
    /item.stock of row \d+ is 10000000, outside -?\d+ to \d+, read by operation/,
  );
});

test('the range of a sum is all that was taken and given, and what operations in doubt may have', () => {
  const sums = new Sums(3, true);
  sums.add(1, 5n);
  sums.add(1, -3n);
  sums.subtract(1, 2n);
  sums.subtract(1, -4n);
  expect([sums.net(1), sums.range(1)]).toEqual([4n, [-5n, 9n]]);
  sums.mayAdd(1, -7n);
  sums.mayAdd(1, 1n);
  expect([sums.net(1), sums.range(1)]).toEqual([4n, [-12n, 10n]]);
  expect([sums.range(0), sums.range(2)]).toEqual([
    [0n, 0n],
    [0n, 0n],
  ]);
  expect(() => new Sums(2 ** 40, false)).toThrow('no room for 1099511627776 sums (8388608 MiB)');
});
