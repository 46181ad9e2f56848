import { isDeepStrictEqual } from 'node:util';
import tpcc from '@fair-bench/workloads/tpcc';
import { expect, test } from 'vitest';
import { createSeededModel, resolveWorkload, type ScanRange, smallParameters } from '../../src/index.ts';
import { SeededStore } from '../../src/code/seeded-store.ts';

const small = { warehouses: 1, districts: 2, customers: 30, items: 60 };
const steps = 6_000;

/** Whole numbers below `end`, the same in each run (Lehmer: 48271 modulo the prime 2³¹ − 1). */
function numbers(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % end;
  };
}

test.each([1, 2, 3])(
  'after inserts, removals and changes in any order, ranges are those of rows in memory: seed %i',
  (seed) => {
    const workload = resolveWorkload(tpcc, { ...smallParameters(tpcc), ...small });
    const { store: memory } = createSeededModel(workload);
    const seeded = new SeededStore(workload);
    const table = tpcc.tables.findIndex(({ name }) => name === 'new_order');
    const below = numbers(seed);
    let found = 0;
    const differing: ScanRange[] = [];
    for (let step = 0; step < steps; step += 1) {
      const [district, order] = [1 + below(2), 1 + below(45)];
      const key = [1, district, order];
      const kind = below(10);
      if (kind < 3) for (const store of [memory, seeded]) store.put(table, key);
      else if (kind < 6) for (const store of [memory, seeded]) store.remove(table, key);
      else {
        // The oldest is taken again and again, as deliveries do.
        const isOldest = kind === 6;
        const range = {
          prefix: [1, district],
          from: kind === 7 ? key : [],
          descending: kind === 8 || (kind === 7 && below(2) === 0),
          limit: isOldest ? 1 : 1 + below(20),
        };
        const rows = memory.range(table, range);
        if (!isDeepStrictEqual(seeded.range(table, range), rows)) differing.push(range);
        found += rows.length;
        const [oldest] = rows;
        if (isOldest && oldest !== undefined)
          for (const store of [memory, seeded]) store.remove(table, oldest.map(Number));
      }
    }
    expect(differing).toEqual([]);
    expect(found).toBeGreaterThan(steps);
  },
);
