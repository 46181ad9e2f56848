import { expect, test } from 'vitest';
import type { Row, TableShape } from '@fair-bench/contract';
import { after, StoredTable } from '../src/stored-rows.ts';

const shape: TableShape = {
  name: 'line',
  columns: [
    { name: 'order', type: { kind: 'int64' } },
    { name: 'item', type: { kind: 'key' } },
    { name: 'open', type: { kind: 'bool' } },
    { name: 'note', type: { kind: 'text', length: 9 } },
    { name: 'seal', type: { kind: 'bytes', length: 3 } },
    { name: 'count', type: { kind: 'int64' } },
  ],
  keyColumns: 2,
  indexes: [],
  written: true,
};
const table = new StoredTable(3, shape);

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

test('bytes of keys sort as the keys do, from the smallest integer to the largest', () => {
  const sorted: Row[] = [-(2n ** 63n), -10n, -9n, 0n, 9n, 10n, 2n ** 53n + 1n, 2n ** 63n - 1n].flatMap(
    (order) => [0, 9, 255, 256, 2 ** 32 - 1].map((item): Row => [order, item]),
  );
  const keys = sorted.map((key) => hex(table.keyOf(key)));
  expect(keys.toSorted()).toEqual(keys);
  expect(new Set(keys).size).toBe(sorted.length);
});

test('a row has the documented bytes, and is read as it was stored', () => {
  const row: Row = [-1n, 258, true, 'a:b', new Uint8Array([0, 255, 7]), 2n ** 63n - 1n];
  const [key, value] = [table.keyOf(row), table.valueOf(row)];
  expect(hex(key)).toBe('037fffffffffffffff00000102');
  expect(hex(value)).toBe('0100000003613a620000000300ff07ffffffffffffffff');
  const read = table.rowOfEntry([key, value]);
  expect(read.map((column) => (column instanceof Uint8Array ? hex(column) : column))).toEqual([
    ...row.slice(0, 4),
    '00ff07',
    2n ** 63n - 1n,
  ]);
  expect(table.rowOf(row.slice(0, 2), value)).toEqual(read);
});

test('a scan begins at its first key and ends with its prefix, in both directions', () => {
  const up = table.rangeOf({ from: [1n, 5], prefix: [1n], descending: false, limit: 3 });
  expect([hex(up.from), hex(up.until)]).toEqual(['03800000000000000100000005', '038000000000000002']);
  const down = table.rangeOf({ from: [1n, 255], prefix: [1n], descending: true, limit: 3 });
  expect([hex(down.from), hex(down.until)]).toEqual(['038000000000000001', '038000000000000001000001']);
  expect(hex(after(new Uint8Array([3, 0xff, 0xff])))).toBe('04');
});
