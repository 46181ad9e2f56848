import { describe, expect, test } from 'vitest';
import { type IndexedRun, indexedRunOf, quantityWithInterval, type RunSummary } from '@fair-bench/results';
import { seededNormal } from '@fair-bench/results/test-support';
import { withAnyRun } from '../src/history/any-run.ts';
import { summarize } from '../src/index.ts';
import { passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

const rounds = 20;
const plan = planOf({ targets: ['alpha-http', 'beta-http'], rounds });
const like = summarize(runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 2000 + round })));
const level = 1000;
const repetitions = 2000;

type Numbers = RunSummary & { readonly search: readonly [] };

/** A run in which each cell is off by something of its own, about which its rounds say nothing. */
function runWith(betweenRuns: number, normal: () => number, startedAt = like.run.startedAt): Numbers {
  const cells = like.cells.map((cell) => {
    const log = betweenRuns * normal();
    const trials = Array.from({ length: rounds }, () => level * Math.exp(log + 0.03 * normal()));
    return cell.status === 'ok' ? { ...cell, tps: { ...quantityWithInterval(trials), trials } } : cell;
  });
  return { ...like, run: { ...like.run, startedAt }, cells, search: [] };
}

function historyOf(length: number, betweenRuns: number, normal: () => number): readonly IndexedRun[] {
  return Array.from({ length }, (_, index) =>
    indexedRunOf(`run-${index}`, 0, runWith(betweenRuns, normal, `2026-10-0${index + 1}T00:00:00.000Z`)),
  );
}

interface Intervals {
  readonly own: readonly [number, number];
  readonly any: readonly [number, number];
  readonly runs: number;
  readonly mean: number;
}

function intervalsOf(numbers: Numbers, history: readonly IndexedRun[]): Intervals {
  const [cell] = withAnyRun(numbers, history).cells;
  if (cell?.status !== 'ok' || cell.tps.ci95 === null || cell.tps.anyRun === undefined)
    throw new Error('no interval');
  const { ci95, runs } = cell.tps.anyRun;
  return { own: cell.tps.ci95, any: ci95, runs, mean: cell.tps.mean };
}

const has = ([low, high]: readonly [number, number], value: number): boolean => low <= value && value <= high;

describe.each([
  ['known from three earlier runs', 3, 0.08, 3],
  ['known from eight', 8, 0.08, 8],
  ['assumed, where two are too few', 2, 0.1, 0],
])('with a deviation between runs %s', (_what, earlier, betweenRuns, runs) => {
  const normal = seededNormal(11 + earlier);
  const found = Array.from({ length: repetitions }, () => {
    const history = historyOf(earlier, betweenRuns, normal);
    return [runWith(betweenRuns, normal), runWith(betweenRuns, normal)].map((run) =>
      intervalsOf(run, history),
    );
  });
  const all = found.flat();

  test('the next run is in 95 of 100, and in few intervals of one run', () => {
    const next = (key: 'own' | 'any'): number =>
      found.filter(([a, b]) => a !== undefined && b !== undefined && has(a[key], b.mean)).length /
      repetitions;
    expect(all.every((one) => one.runs === runs)).toBe(true);
    expect(next('any')).toBeGreaterThan(0.93);
    expect(next('any')).toBeLessThan(0.975);
    expect(next('own')).toBeLessThan(0.35);
  });
});

test('the less the runs of a machine differ, the narrower is the interval of the next', () => {
  const normal = seededNormal(5);
  const widthAfter = (betweenRuns: number): number => {
    const { any } = intervalsOf(runWith(0, normal), historyOf(8, betweenRuns, normal));
    return Math.log(any[1] / any[0]);
  };
  expect(widthAfter(0)).toBeLessThan(widthAfter(0.1) / 3);
});

test('nothing is assumed of an open loop, which reaches what it is offered', () => {
  const run = runWith(0.08, seededNormal(8));
  const openLoop = { offeredPerSecond: 1000, startedPerSecond: 1000, achievedPerSecond: 1000, held: true };
  const open = {
    ...run,
    cells: run.cells.map((cell) => (cell.status === 'ok' ? { ...cell, openLoop } : cell)),
  };
  const anyRuns = ({ cells }: Pick<RunSummary, 'cells'>) =>
    cells.map((cell) => cell.status === 'ok' && cell.tps.anyRun !== undefined);
  expect(anyRuns(withAnyRun(open, []))).toEqual([false, false]);
  expect(anyRuns(withAnyRun(run, []))).toEqual([true, true]);
  expect(anyRuns(withAnyRun(open, historyOf(3, 0.08, seededNormal(9))))).toEqual([true, true]);
});

test('the ratio of two cells has the deviation of the ratios of earlier runs, or an assumed one where fewer than three have both', () => {
  const normal = seededNormal(6);
  const own = runWith(0.08, normal);
  const ratios = (history: readonly IndexedRun[]) =>
    withAnyRun(own, history).comparisons.map(({ anyRun }) => anyRun);
  expect(own.comparisons).toHaveLength(1);
  expect(ratios(historyOf(2, 0.08, normal))).toMatchObject([{ runs: 0, deviation: 0.1 }]);
  const [known] = ratios(historyOf(8, 0.08, normal));
  const [ratio] = own.comparisons;
  expect(known?.runs).toBe(8);
  // Two cells, each off by 8 %.
  expect(known?.deviation).toBeGreaterThan(0.05);
  expect(known?.ci95[0]).toBeLessThan(ratio?.ci95?.[0] ?? 0);
  expect(known?.ci95[1]).toBeGreaterThan(ratio?.ci95?.[1] ?? Infinity);
});

describe('best points', () => {
  const normal = seededNormal(7);
  const bestOf = (run: IndexedRun, index: number): IndexedRun => ({
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      id: `${cell.id}-${index}`,
      bestOf: `best of ${cell.target}`,
    })),
  });

  test('are the same work wherever they were found', () => {
    const search = [
      {
        target: 'alpha-http',
        client: 'node' as const,
        parameters: plan.cells[0]?.parameters ?? {},
        axes: ['alpha'],
        alpha: 0.5,
        durability: 'durable' as const,
        contest: 'alpha',
        system: 'alpha',
        zone: 0.05,
        points: [],
        chosen: { sessions: 50, depth: 1 },
        edges: [],
      },
    ];
    const run = { ...runWith(0.08, normal), search };
    const [name] = indexedRunOf('', 0, run).cells.map((cell) => cell.bestOf);
    expect(name).toBe('best point of alpha, durable, within 5 % of the fastest');
    const history = historyOf(4, 0.08, normal).map((one, index) => {
      const { cells, ...rest } = bestOf(one, index);
      return {
        ...rest,
        cells: cells.map((cell) => ({
          ...cell,
          bestOf: name,
          loop: 'closed; open, 9 operations per second',
        })),
      };
    });
    const [alpha, beta] = withAnyRun(run, history).cells;
    expect(alpha).toMatchObject({ tps: { anyRun: { runs: 4 } } });
    // It was no one's best point, so those runs did other work.
    expect(beta).toMatchObject({ tps: { anyRun: { runs: 0 } } });
  });
});
