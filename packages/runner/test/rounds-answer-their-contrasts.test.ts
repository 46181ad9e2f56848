import { designOf } from '@fair-bench/analysis';
import { type RunPlan, pairedRatio } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { planOf } from '@fair-bench/analysis/test-support';
import { type DriftingMachine, driftingMachine } from '@fair-bench/results/test-support';
import { nextTurn } from '../src/plan/allocate-rounds.ts';
import { orderRounds, roundsLeast } from '../src/plan/order-rounds.ts';

interface Shape {
  readonly targets: number;
  readonly alphas?: readonly number[];
  readonly depths?: readonly number[];
  /** Fixed rounds; without them as many trials as there is time for. */
  readonly rounds?: number;
  readonly trials?: number;
  readonly precision?: number;
}

interface Outcome {
  readonly plan: RunPlan;
  readonly rounds: readonly (readonly string[])[];
  readonly logs: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A simulated run with the runner's own allocation and the machine's trials. */
function runOn(
  machine: DriftingMachine,
  { trials = 0, precision, rounds, ...shape }: Shape,
  seed: number,
): Outcome {
  const names = Array.from({ length: shape.targets }, (_, index) => `target${index}-http`);
  const bare = planOf({ ...shape, targets: names });
  const design = designOf(bare);
  const precisionRatio = precision === undefined ? {} : { precisionRatio: 1 + precision };
  const plan: RunPlan = {
    ...bare,
    contrasts: [...design.contrasts],
    blocks: design.blocks.map((block) => [...block]),
    rounds: orderRounds(design.blocks, rounds ?? roundsLeast, String(seed)),
    allocation: { budgetMs: 1, ...precisionRatio },
  };
  const logs = new Map(plan.cells.map(({ id }) => [id, new Map<number, number>()]));
  const done = plan.rounds.map((ids) => [...ids]);
  const measure = (id: string, round: number): void => void logs.get(id)?.set(round, machine.trial(id));
  for (const [round, ids] of done.entries()) for (const id of ids) measure(id, round);
  if (rounds !== undefined) return { plan, rounds: done, logs };
  for (let left = trials - done.flat().length; left > 0;) {
    const turn = nextTurn(plan, { rounds: done, logs });
    if (turn === null) break;
    for (const id of turn.cells) measure(id, turn.round);
    done[turn.round] = [...(done[turn.round] ?? []), ...turn.cells];
    left -= turn.cells.length;
  }
  return { plan, rounds: done, logs };
}

interface Coverage {
  /** Share of the contrasts whose 95 % interval has the true ratio, 1. */
  readonly covered: number;
  /** Median over the contrasts, as a ratio. */
  readonly halfWidth: number;
  readonly roundsLeast: number;
  readonly roundsMost: number;
}

function coverageOf(shape: Shape, repetitions: number): Coverage {
  const widths: number[] = [];
  const counts: number[] = [];
  let covered = 0;
  for (let seed = 0; seed < repetitions; seed += 1) {
    const { plan, logs } = runOn(driftingMachine(seed * 7919 + 17), shape, seed);
    const pairs = (plan.contrasts ?? []).map(({ baseline, contender }) =>
      [...(logs.get(baseline) ?? [])].flatMap(([round, log]) => {
        const other = logs.get(contender)?.get(round);
        return other === undefined ? [] : [{ baseline: Math.exp(log), contender: Math.exp(other) }];
      }),
    );
    counts.push(...pairs.map(({ length }) => length));
    for (const { ci95, significant } of pairs.map((rounds) => pairedRatio(rounds))) {
      if (!significant) covered += 1;
      widths.push(ci95 === null ? Infinity : Math.sqrt(ci95[1] / ci95[0]));
    }
  }
  return {
    covered: covered / widths.length,
    halfWidth: widths.toSorted((a, b) => a - b)[Math.floor(widths.length / 2)] ?? Infinity,
    roundsLeast: Math.min(...counts),
    roundsMost: Math.max(...counts),
  };
}

const grid = { targets: 4, alphas: [0.5, 1.5], depths: [1, 8] };

describe('95 % intervals have the truth in 94 to 97 of 100, with drift, stalls and unequal deviations', () => {
  test.each([
    ['fixed: five rounds of the default grid', { ...grid, rounds: 5 }, 500],
    ['fixed: twelve rounds of the default grid', { ...grid, rounds: 12 }, 300],
    ['fixed: five rounds of one pair', { targets: 2, rounds: 5 }, 5000],
    ['by budget: the default grid, rounds where they are needed', { ...grid, trials: 130 }, 400],
    ['by budget: one combination', { targets: 4, trials: 80 }, 800],
    ['by precision: one pair until it is within 10 %', { targets: 2, trials: 160, precision: 0.1 }, 2500],
    ['by precision: the default grid within 15 %', { ...grid, trials: 400, precision: 0.15 }, 200],
  ])('%s', (_, shape: Shape, repetitions) => {
    const found = coverageOf(shape, repetitions);
    expect(found.covered).toBeGreaterThan(0.94);
    expect(found.covered).toBeLessThan(0.97);
    expect(found.roundsLeast).toBeGreaterThanOrEqual(roundsLeast);
  });
});
