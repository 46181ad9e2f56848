import { termsOf } from '@fair-bench/analysis';
import { describe, expect, test } from 'vitest';
import { expectedMs } from '../src/plan/timing.ts';
import { gapOf, idsOf, planOf, times } from './support/gaps.ts';

describe('a budget', () => {
  const from = 'postgres-drizzle[depth=1,sessions=10,alpha=0]';
  const to = 'postgres-driver[depth=8,sessions=50,alpha=1.5,durability=async]';
  const [first] = gapOf(from, to);
  const all = first?.all.specs.length ?? 0;

  test('that is ample measures every combination in five rounds', () => {
    const plan = planOf('postgres-drizzle', 'postgres-driver', 600_000);
    expect(plan.design.cells.map(({ mask }) => mask)).toEqual(plan.design.possible);
    expect(plan.rounds).toBe(5);
  });

  test.each([480_000, 960_000])('of %d ms measures a fraction that tells its factors apart', (budgetMs) => {
    const plan = planOf(from, to, budgetMs);
    const { cells, groups, possible, skipped } = plan.design;
    expect(expectedMs(plan.specs, plan.rounds, times)).toBeLessThan(budgetMs);
    expect(cells.length).toBeLessThan(all);
    expect(possible).toHaveLength(all);
    const masks = cells.map(({ mask }) => mask);
    expect(masks).toContain(0);
    expect(masks).toContain(2 ** plan.design.changes.length - 1);
    const grouped = masks.map((mask) =>
      groups.reduce(
        (bits, group, index) => bits + ((mask & (2 ** (group[0] ?? 0))) === 0 ? 0 : 2 ** index),
        0,
      ),
    );
    expect(termsOf(groups.length, grouped)).toHaveLength(
      termsOf(groups.length, possibleOf(groups, possible)).length,
    );
    expect(skipped.map(({ reason }) => reason).join()).toMatch(/beyond the budget|count as one/);
  });

  test('that grows tells more factors apart, and plans the same cells each time', () => {
    const plans = [120_000, 480_000, 1_920_000].map((budgetMs) => planOf(from, to, budgetMs, 3));
    const factors = plans.map(({ design }) => design.groups.length);
    expect(factors).toEqual(factors.toSorted((a, b) => a - b));
    expect(factors[0]).toBeLessThan(factors[2] ?? 0);
    expect(plans[0]?.design.merged[0]?.reason).toContain('budget');
    expect(plans[2]?.design.merged).toEqual([]);
    expect(idsOf(planOf(from, to, 240_000))).toEqual(idsOf(planOf(from, to, 240_000)));
  });

  test('of a gap between systems keeps the step between them in each place, and merges what both share last', () => {
    const ends = ['postgres-drizzle[depth=1]', 'spacetimedb-sdk[depth=40]'] as const;
    const plan = planOf(...ends, 300_000);
    const spacetimedb = plan.design.cells.filter(({ cellId }) => cellId.startsWith('spacetimedb'));
    expect(spacetimedb.map(({ cellId }) => cellId)).toEqual([
      'spacetimedb-sdk-a0.5-d1-s50',
      'spacetimedb-sdk-a0.5-d40-s50',
    ]);
    const depth = plan.design.changes.findIndex(({ name }) => name === 'depth');
    expect(plan.design.groups).toContainEqual([depth]);
    expect(plan.contrasts).toHaveLength(3);
  });

  test('too small for the ends and a path in one round states the minimum, which has fewer rounds', () => {
    const refusal = /--budget: got "10s"; accepts at least (\d+)s: .* (\d+) cells in 1 round/;
    expect(() => planOf(from, to, 10_000)).toThrow(refusal);
    const message = messageOf(() => planOf(from, to, 10_000));
    const [, seconds, cells] = refusal.exec(message) ?? [];
    const plan = planOf(from, to, Number(seconds) * 1000);
    expect(plan.design.cells).toHaveLength(Number(cells));
    expect(plan.rounds).toBe(1);
  });
});

/** Masks of groups, of those masks of single changes that change whole groups. */
function possibleOf(groups: readonly (readonly number[])[], possible: readonly number[]): number[] {
  return possible.flatMap((mask) => {
    const made = groups.map((group) => new Set(group.map((change) => (mask & (2 ** change)) !== 0)));
    if (made.some(({ size }) => size > 1)) return [];
    return [made.reduce((bits, [isMade], index) => bits + (isMade === true ? 2 ** index : 0), 0)];
  });
}

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}
