import type { Row } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { reasonOf, lying, trial, truth, type Bench, type Target, withRows } from './simulation.ts';

const torn = (bench: Bench, id: number): Row => {
  const row = bench.store.get(0, [id])?.map((value) => value ?? 0) ?? [];
  const other = String(bench.store.get(0, [id === 0 ? 1 : 0])?.[1]);
  return row.with(1, String(row[1]).slice(0, 28) + other.slice(28));
};

test('a value that is half of one and half of another', async () => {
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () => bench.store.put(0, torn(bench, 3)),
  });
  expect(await reasonOf(trial(liar))).toMatch(/item \(3\): label is torn/);
});

test('a torn value that a read saw', async () => {
  const liar = lying('look', 100, (call, bench) =>
    withRows(bench.honest(call), () => [torn(bench, Number(call.values[0]))]),
  );
  expect(await reasonOf(trial(liar))).toMatch(
    /replies were invalid, the first: .*look: item \(\d+\): label is torn/,
  );
});

test('a value of which only its name and its check are kept', async () => {
  const kept = (text: string): string => text.slice(0, 16) + text.slice(-8);
  const liar = (bench: Bench): Target => ({
    ...truth(bench),
    after: () =>
      bench.store.put(0, (bench.store.get(0, [3]) ?? []).with(1, kept(String(bench.store.get(0, [3])?.[1])))),
  });
  expect(await reasonOf(trial(liar))).toMatch(/item \(3\): label has a length of 24, not 32/);
});
