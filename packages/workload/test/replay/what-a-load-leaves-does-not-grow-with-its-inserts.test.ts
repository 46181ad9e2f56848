import type { Row } from '@fair-bench/contract';
import order from '@fair-bench/workloads/order';
import { expect, test } from 'vitest';
import { heldBytes } from '../../../results/src/test-support/heap.ts';
import { defaultParameters, resolveWorkload, RowsLeft } from '../../src/index.ts';

const orders = 1;
const pageRows = 10_000;

test('what is kept between two loads of a soak does not grow with the rows that they inserted', () => {
  const workload = resolveWorkload(order, { ...defaultParameters(order), items: 100 });
  const { columns } = workload.tables[orders] ?? { columns: [] };
  const left = new RowsLeft(workload);
  const take = (pages: number): void => {
    for (let page = 0; page < pages; page += 1) {
      const rows = Array.from({ length: pageRows }, (_, place): Row => {
        const key = page * pageRows + place;
        return columns.map((_column, column) => (column === 0 ? key : BigInt(key + column)));
      });
      left.take(orders, rows);
    }
  };
  take(1);
  const before = heldBytes();
  take(50);
  const grown = heldBytes() - before;
  expect(left.inserted(orders).count).toBe(51 * pageRows);
  // Half a million rows would take a hundred times as much.
  expect(grown).toBeLessThan(1_000_000);
}, 60_000);
