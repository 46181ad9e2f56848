import {
  type CellSummary,
  type ClaimDesign,
  type ClaimResult,
  type RunPlan,
  type TrialRecord,
  claimSchema,
} from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { seededNormal } from '@fair-bench/results/test-support';
import { judgeClaim } from '../src/claims/judge-claim.ts';
import { summarize } from '../src/index.ts';
import { comparisonsOf } from '../src/summary/comparisons.ts';
import { passedTrial, planOf, present, runOf } from '../src/test-support/trial-records.ts';

const repetitions = 1000;
/** 5 % and three standard errors of a share of so many repetitions. */
const alarmsMax = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / repetitions);

interface Simulation {
  readonly contenders: number;
  readonly rounds: number;
  /** Of the logarithm of one trial's throughput. */
  readonly deviation: number;
  /** How many times as fast as the baseline every contender is. */
  readonly truth: number;
}

interface Run {
  readonly plan: RunPlan;
  /** Of a run of the same plan: every cell has a number. */
  readonly cells: readonly CellSummary[];
  readonly trials: readonly TrialRecord[];
}

/** Runs of one baseline and some contenders; in each round the machine swings for all of them. */
function* runsOf({ contenders, rounds, deviation, truth }: Simulation): Generator<Run> {
  const names = Array.from({ length: contenders }, (_, index) => `contender-${index}`);
  const plan = planOf({ targets: ['baseline', ...names], rounds });
  const { cells } = summarize(runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1 })));
  const template = passedTrial({ cell: present(plan.cells[0]), round: 0, applied: 1 });
  const normal = seededNormal(contenders * 100_000 + rounds * 1000 + deviation * 100);
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const trials = plan.rounds.flatMap((_ids, round) => {
      const swing = 0.3 * normal();
      return plan.cells.map(({ id: cellId, target }) => {
        const log = Math.log(target === 'baseline' ? 1000 : 1000 * truth) + swing + deviation * normal();
        return { ...template, cellId, round, tps: Math.exp(log) };
      });
    });
    yield { plan, cells, trials };
  }
}

function share(runs: Iterable<Run>, isCounted: (run: Run) => boolean): number {
  let counted = 0;
  for (const run of runs) if (isCounted(run)) counted += 1;
  return counted / repetitions;
}

function judged({ plan, cells, trials }: Run, claimedRatio: number): ClaimResult {
  const design = designOf(plan, claimedRatio);
  const environment = { cpu: { model: 'Example CPU', cores: 2 }, memoryBytes: 2 ** 33 };
  return judgeClaim({ design, plan, trials, cells, environment, elapsedMs: 1 });
}

const designs = new Map<string, ClaimDesign>();

/** A claim that states the same ratio of every contender. */
function designOf(plan: RunPlan, claimedRatio: number): ClaimDesign {
  const key = `${plan.cells.length} ${claimedRatio}`;
  const known = designs.get(key);
  if (known !== undefined) return known;
  const figures = plan.cells.map(({ id: cellId, target: id }) => ({ id, reading: null, cellId, notes: [] }));
  const [from = '', ...others] = figures.map(({ id }) => id);
  const claim = claimSchema.parse({
    name: 'a-claim',
    date: '2026-05',
    source: 'somewhere',
    host: 'a machine',
    workload: 'transfer',
    parameters: {},
    windowSeconds: null,
    statements: others.map((to) => ({
      statement: 'it is faster',
      kind: 'about',
      wording: 'about',
      claimedRatio,
      from,
      to,
    })),
    figures: figures.map(({ id }) => ({ id, label: id, tps: 1000, where: 'a table', target: null })),
    settings: [],
    breaks: [],
  });
  const design = { claim, figures };
  designs.set(key, design);
  return design;
}

function statementsOf(result: ClaimResult, verdict: string): number {
  return result.statements.filter((one) => one.verdict === verdict).length;
}

/** The few rounds of a short run, with much noise, are the hardest. */
const settings = chosen<readonly [rounds: number, deviation: number]>(
  [
    [5, 0.05],
    [3, 0.3],
    [12, 0.3],
  ],
  ([rounds]) => rounds === 3,
);

describe.each(settings)('over %d rounds with a deviation of %d', (rounds, deviation) => {
  const claimed = 28.2;
  const runs = (truth: number, contenders: number): Iterable<Run> =>
    runsOf({ contenders, rounds, deviation, truth });

  test('a claim of twice the truth, or of half of it, is supported by hardly a run', () => {
    for (const times of [2, 0.5]) {
      const supported = share(
        runs(claimed / times, 1),
        (run) => judged(run, claimed).verdict === 'supported',
      );
      expect(supported).toBeLessThan(0.01);
    }
  });

  test.each([0.8, 1.25])(
    'a truth of %d of the claim, at the margin, is judged wrongly 5 times in 100 at most',
    (edge) => {
      const found: Record<string, number> = { supported: 0, contradicted: 0 };
      for (const run of runs(claimed * edge, 6)) {
        const result = judged(run, claimed);
        for (const verdict of Object.keys(found)) {
          if (statementsOf(result, verdict) > 0) found[verdict] = (found[verdict] ?? 0) + 1;
        }
      }
      expect((found['supported'] ?? 1) / repetitions).toBeLessThan(alarmsMax);
      expect((found['contradicted'] ?? 1) / repetitions).toBeLessThan(alarmsMax);
    },
  );

  test('among fifteen comparisons of equals one is significant in 5 runs of 100 at most', () => {
    const isAlarm = ({ plan, trials }: Run): boolean => {
      const comparisons = comparisonsOf(plan, trials);
      expect(comparisons).toHaveLength(15);
      return comparisons.some(({ significant }) => significant);
    };
    expect(share(runs(1, 5), isAlarm)).toBeLessThan(alarmsMax);
  });
});

test('a claim that is true is supported, and one of twice the truth contradicted, where the rounds allow it', () => {
  const calm = { contenders: 1, rounds: 5, deviation: 0.05 };
  const verdictIs = (verdict: string) => (run: Run) => judged(run, 10).verdict === verdict;
  expect(share(runsOf({ ...calm, truth: 10 }), verdictIs('supported'))).toBeGreaterThan(0.95);
  expect(share(runsOf({ ...calm, truth: 5 }), verdictIs('contradicted'))).toBeGreaterThan(0.95);
  const noisy = { contenders: 1, rounds: 3, deviation: 0.3, truth: 10 };
  expect(share(runsOf(noisy), verdictIs('undecided'))).toBeGreaterThan(0.5);
});

test('so many rounds as it says decide in about four runs of five', () => {
  const few = { contenders: 1, rounds: 5, deviation: 0.1, truth: 9.2 };
  const requested: number[] = [];
  for (const run of runsOf(few)) {
    const { toDecide } = judged(run, 10);
    if (toDecide !== undefined && toDecide !== null) requested.push(toDecide.rounds);
  }
  const [middle = 0] = requested.toSorted((a, b) => a - b).slice(requested.length / 2);
  const decided = share(runsOf({ ...few, rounds: middle }), (run) => judged(run, 10).verdict !== 'undecided');
  expect(decided).toBeGreaterThan(0.6);
  expect(decided).toBeLessThan(0.999);
});
