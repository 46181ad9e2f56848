import type { ExplainDesign, Explanation } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { explainTrials } from '../src/explain/explain.ts';
import { seededNormal } from '@fair-bench/results/test-support';
import { passedTrial, planOf, present, voidTrial } from '../src/test-support/trial-records.ts';

const repetitions = 400;
/** Standard deviations of the logarithm: of one trial, and of a round, which all of its trials share. */
const trialNoise = 0.06;
const roundNoise = 0.1;

interface World {
  readonly names: readonly string[];
  /** Applied operations in the window of two seconds, with these changes made. */
  readonly applied: (changed: ReadonlySet<string>) => number;
  readonly isPossible?: (changed: ReadonlySet<string>) => boolean;
}

interface Experiment {
  readonly design: ExplainDesign;
  /** A run of the design with noise of its own. */
  readonly run: (seed: number) => Explanation | null;
}

/** @param extra rounds that only these changes' cells have, by their masks. */
function experimentOf(
  { names, applied, isPossible = () => true }: World,
  rounds = 5,
  extra: { readonly rounds: number; readonly masks: readonly number[] } = { rounds: 0, masks: [] },
): Experiment {
  const masks = Array.from({ length: 2 ** names.length }, (_, mask) => mask);
  const changedBy = (mask: number): ReadonlySet<string> =>
    new Set(names.filter((_, index) => (mask & (2 ** index)) !== 0));
  const possible = masks.filter((mask) => isPossible(changedBy(mask)));
  const plan = planOf({ targets: possible.map((mask) => `cell-m${mask}`), rounds });
  const cells = possible.map((mask, index) => ({ mask, cell: present(plan.cells[index]) }));
  const core = cells.filter(({ mask }) => extra.masks.includes(mask)).map(({ cell }) => cell.id);
  for (let round = 0; round < extra.rounds; round += 1) plan.rounds.push([...core]);
  const design: ExplainDesign = {
    from: 'one',
    to: 'other',
    changes: names.map((name) => ({ name, from: 'a', to: 'b', isArchitecture: name === 'architecture' })),
    cells: cells.map(({ mask, cell }) => ({ mask, cellId: cell.id })),
    leftOut: 0,
    withArchitecture: ['what comes with it'],
    ofOneSystem: [],
    skipped: [],
  };
  const run = (seed: number): Explanation | null => {
    const normal = seededNormal(seed);
    const weather = plan.rounds.map(() => roundNoise * normal());
    const trials = cells.flatMap(({ mask, cell }) =>
      plan.rounds.flatMap((ids, round) => {
        if (!ids.includes(cell.id)) return [];
        // Some cells are steadier than others.
        const noise = trialNoise * (mask % 3 === 0 ? 1.5 : 0.75) * normal();
        const log = Math.log(applied(changedBy(mask))) + (weather[round] ?? 0) + noise;
        return [passedTrial({ cell, round, applied: Math.round(Math.exp(log)) })];
      }),
    );
    return explainTrials(design, plan, trials);
  };
  return { design, run };
}

function productOf({ factors, residual }: Explanation): number {
  return factors.reduce((product, { multiplier }) => product * multiplier, residual);
}

const multipliers = { client: 2.6, 'data access': 2.1, hop: 1.4, depth: 1.03, architecture: 4.5 };
const independent: World = {
  names: Object.keys(multipliers),
  applied: (changed) =>
    Object.entries(multipliers).reduce(
      (product, [name, multiplier]) => product * (changed.has(name) ? multiplier : 1),
      40_000,
    ),
  // An ORM needs its server.
  isPossible: (changed) => !changed.has('hop') || changed.has('data access'),
};

describe.each([3, 5, 10])('known factors under noise, in %d rounds', (rounds) => {
  const { run } = experimentOf(independent, rounds);
  const found = Array.from({ length: repetitions }, (_, seed) => run(seed)).filter((one) => one !== null);
  const headline = Object.values(multipliers).reduce((product, one) => product * one, 1);
  const holds = (ci95: readonly [number, number] | null | undefined, truth: number): boolean =>
    ci95 !== null && ci95 !== undefined && ci95[0] <= truth && truth <= ci95[1];
  const shareOf = (isPassed: (one: Explanation) => boolean): number =>
    found.filter(isPassed).length / found.length;

  // Three standard errors of 95 % over 400 runs are 3.3 %.
  test.each([
    ['the architecture', ({ residualCi95 }: Explanation) => holds(residualCi95, multipliers.architecture)],
    ['the headline', ({ ci95 }: Explanation) => holds(ci95, headline)],
    [
      'all factors together',
      ({ factors }: Explanation) =>
        factors.every(({ name, ci95 }) => holds(ci95, new Map(Object.entries(multipliers)).get(name) ?? 0)),
    ],
  ])('%s: the intervals have the truth in 95 of 100 runs', (_, isPassed) => {
    expect(shareOf(isPassed)).toBeGreaterThan(0.917);
    expect(shareOf(isPassed)).toBeLessThan(0.985);
  });

  test('the intervals are useful: a factor of 1.4 is significant in most runs', () => {
    const significant = found.filter(({ factors }) =>
      factors.some(({ name, ci95 }) => name === 'hop' && ci95 !== null && ci95[0] > 1),
    );
    expect(significant.length).toBeGreaterThan(repetitions / 2);
  });

  test('the product of the multipliers is the headline', () => {
    expect(found).toHaveLength(repetitions);
    for (const explanation of found) {
      expect(productOf(explanation) / explanation.ratio).toBeCloseTo(1, 6);
    }
  });
});

test('extra rounds of the ends and the architecture narrow their intervals and keep the product', () => {
  const full = 2 ** independent.names.length - 1;
  const architecture = 2 ** independent.names.indexOf('architecture');
  const masks = [0, full - architecture, full];
  const path: World = {
    ...independent,
    // One order alone, so that the architecture is one step.
    isPossible: (changed) =>
      [...changed].every((name) => independent.names.slice(0, changed.size).includes(name)),
  };
  const plain = present(experimentOf(path).run(1) ?? undefined);
  const funded = present(experimentOf(path, 5, { rounds: 20, masks }).run(1) ?? undefined);
  const widthOf = ({ residualCi95 }: Explanation): number =>
    (residualCi95?.[1] ?? 0) / (residualCi95?.[0] ?? 1);
  expect(Math.log(widthOf(funded))).toBeLessThan(0.7 * Math.log(widthOf(plain)));
  expect(funded).toMatchObject({ rounds: 25, residualRounds: 25 });
  expect(productOf(funded) / funded.ratio).toBeCloseTo(1, 6);
});

test('an interaction shows in the smallest and the largest effect, and its share is the same for both', () => {
  // Either of the two lifts the same limit: with one of them the other is worth little.
  const { run } = experimentOf({
    names: ['client', 'hop'],
    applied: (changed) => 40_000 * (changed.size === 0 ? 1 : 2 + 0.2 * changed.size),
  });
  const explanation = run(1);
  for (const { min, max, multiplier } of explanation?.factors ?? []) {
    expect(min).toBeLessThan(1.3);
    expect(max).toBeGreaterThan(2);
    expect(multiplier).toBeGreaterThan(min);
    expect(multiplier).toBeLessThan(max);
  }
  const [client, hop] = explanation?.factors ?? [];
  expect(present(client).multiplier / present(hop).multiplier).toBeCloseTo(1, 0);
  expect(explanation?.residual).toBe(1);
  expect(explanation?.residualCi95).toBeNull();
});

test('the step between systems has the smallest and the largest effect of its places', () => {
  // One in flight hides most of what the other system could do.
  const { run } = experimentOf({
    names: ['depth', 'architecture'],
    applied: (changed) =>
      40_000 *
      (changed.has('depth') ? 2 : 1) *
      (changed.has('architecture') ? (changed.has('depth') ? 6 : 1.5) : 1),
  });
  const { residual, residualMin, residualMax } = present(run(1) ?? undefined);
  expect(Math.abs(Math.log(present(residualMin) / 1.5))).toBeLessThan(0.2);
  expect(Math.abs(Math.log(present(residualMax) / 6))).toBeLessThan(0.2);
  expect(residual).toBeCloseTo(Math.sqrt(present(residualMin) * present(residualMax)), 6);
});

test('settings that only change together have one effect, which joins the residual when the system changes too', () => {
  const { run } = experimentOf({
    names: ['architecture', 'data access', 'depth'],
    applied: (changed) => 40_000 * (changed.has('architecture') ? 6 : 1) * (changed.has('depth') ? 2 : 1),
    isPossible: (changed) => changed.has('architecture') === changed.has('data access'),
  });
  const explanation = run(1);
  expect(explanation?.factors.map(({ name }) => name)).toEqual(['depth']);
  expect(explanation?.residualIncludes).toEqual(['data access', 'what comes with it']);
  expect(explanation?.residual).toBeCloseTo(6, 0);
  expect(explanation?.orders).toEqual({ count: 2, exact: true });
});

test('a void cell removes the orders through it; a void end removes the explanation', () => {
  const { design } = experimentOf(independent);
  const plan = planOf({ targets: design.cells.map(({ mask }) => `cell-m${mask}`), rounds: 5 });
  const trialsBut = (voided: number) =>
    plan.cells.flatMap((cell, index) =>
      plan.rounds.map((_, round) =>
        index === voided && round === 2
          ? voidTrial({ cell, round })
          : passedTrial({ cell, round, applied: 1000 * (index + 1) }),
      ),
    );
  const explanation = explainTrials(design, plan, trialsBut(1));
  expect(explanation?.orders.exact).toBe(false);
  expect(explanation?.skipped.map(({ cell }) => cell)).toEqual([plan.cells[1]?.id]);
  expect(present(explanation ?? undefined).cellsMeasured).toBe(design.cells.length - 1);
  expect(explainTrials(design, plan, trialsBut(0))).toBeNull();
});
