import { expect, test } from 'vitest';
import type { Row, TableShape } from '@fair-bench/contract';
import { StoredTable, textOf } from '../src/stored-rows.ts';

const shape: TableShape = {
  name: 'line',
  columns: [
    { name: 'order', type: { kind: 'int64' } },
    { name: 'item', type: { kind: 'key' } },
    { name: 'open', type: { kind: 'bool' } },
    { name: 'note', type: { kind: 'text', length: 9 } },
    { name: 'seal', type: { kind: 'bytes', length: 3 } },
  ],
  keyColumns: 2,
  indexes: [],
  written: true,
};
const table = new StoredTable('order', shape, true);

test('texts of keys sort as the keys do, from the smallest integer to the largest', () => {
  const sorted: Row[] = [-(2n ** 63n), -10n, -9n, 0n, 9n, 10n, 2n ** 53n + 1n, 2n ** 63n - 1n].flatMap(
    (order) => [0, 9, 10, 2 ** 32 - 1].map((item): Row => [order, item]),
  );
  const texts = sorted.map((key) => table.memberOf(key));
  expect(texts.toSorted()).toEqual(texts);
  expect(new Set(texts).size).toBe(sorted.length);
});

test('a row is read as it was stored', () => {
  const row: Row = [-(2n ** 63n), 2 ** 32 - 1, true, 'a:b "c"', new Uint8Array([0, 255, 7])];
  const { key, fields, order } = table.stored(row);
  const read = table.rowOf(
    key,
    fields.map(([, text]) => text),
  );
  expect(read.slice(0, 4)).toEqual(row.slice(0, 4));
  expect(Buffer.from(read[4] instanceof Uint8Array ? read[4] : []).toString('hex')).toBe('00ff07');
  expect(order).toEqual({ set: 'fair_bench:order-order:line', member: table.memberOf(row.slice(0, 2)) });
});

test('an integer beyond 64 bits has no text', () => {
  expect(() => textOf(2n ** 63n)).toThrow('does not fit into 64 bits');
  expect(textOf(-(2n ** 63n))).toBe('-9223372036854775808');
});
