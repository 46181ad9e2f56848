import type { IndexedRun } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { seededNormal } from '@fair-bench/results/test-support';
import { compareCells } from '../src/compare/compare-cells.ts';
import { changePointsOf } from '../src/history/change-points.ts';
import { summarize } from '../src/index.ts';
import { environment, passedTrial, planOf, runOf } from '../src/test-support/trial-records.ts';

/** Values about each level in turn. */
function seriesOf(
  levels: readonly number[],
  each: number,
  deviation: number,
  normal: () => number,
): number[] {
  return levels.flatMap((level) => Array.from({ length: each }, () => level + deviation * normal()));
}

describe('E-divisive', () => {
  test('finds a level that changed and one that changed back, where they did', () => {
    const values = seriesOf([0, -0.2, 0], 10, 0.03, seededNormal(7));
    expect(changePointsOf(values, 0.05).map(({ at }) => at)).toEqual([10, 20]);
  });

  test('finds a change in 5 series of 100 without one at most', () => {
    const normal = seededNormal(8);
    const series = 300;
    let alarms = 0;
    for (let index = 0; index < series; index += 1) {
      const values = seriesOf([0], 20, 0.1, normal);
      if (changePointsOf(values, 0.05, BigInt(index)).length > 0) alarms += 1;
    }
    expect(alarms / series).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / series));
    // It is a test at 5 %, and not one that never finds anything.
    expect(alarms / series).toBeGreaterThan(0.015);
  });

  test('says nothing of too few values', () => {
    expect(changePointsOf([0, 0, 0, 9, 9], 0.05)).toEqual([]);
    expect(changePointsOf([], 0.05)).toEqual([]);
  });
});

describe.each([
  ['that a history knows', 10, 0.15],
  ['of which nothing is known, up to what is assumed', 0, 0.1],
])('two runs with a deviation between them %s', (_what, historyLength, betweenRuns) => {
  const repetitions = 200;
  const plan = planOf({ targets: ['a', 'b', 'c', 'd', 'e', 'f'] });
  const like = summarize(runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 2000 })));
  const normal = seededNormal(9 + historyLength);
  /** Each cell is off by what the whole run is off by, and by something of its own. */
  const trialsOf = (): readonly (readonly number[])[] => {
    const run = normal();
    return plan.cells.map(() => {
      const log = betweenRuns * Math.SQRT1_2 * (run + normal());
      return [0, 1, 2].map(() => 1000 * Math.exp(log + 0.02 * normal()));
    });
  };
  const summaryOf = (startedAt: string, trials: readonly (readonly number[])[]): typeof like => ({
    ...like,
    run: { ...like.run, startedAt },
    cells: like.cells.map((cell, index) =>
      cell.status === 'ok' ? { ...cell, tps: { ...cell.tps, trials: [...(trials[index] ?? [])] } } : cell,
    ),
  });
  const indexed = (index: number): IndexedRun => ({
    folder: `run-${index}`,
    savedAtMs: 0,
    startedAt: `2026-10-0${index}T00:00:00.000Z`,
    mode: 'fair',
    machine: { cpuModel: environment.cpu.model, cores: 2, kernel: environment.os.kernel },
    commit: null,
    warmupMs: plan.timing.warmupMs,
    windowMs: plan.timing.windowMs,
    cells: trialsOf().flatMap((trials, cell) => {
      const { id = '', target = '', parameters = {} } = plan.cells[cell] ?? {};
      return [
        {
          id,
          target,
          version: '1',
          workloadSha256: plan.workloadSha256,
          parameters,
          loop: like.run.loop,
          trials: [...trials],
        },
      ];
    }),
  });

  test('differ in 5 comparisons of 100 at most', () => {
    let alarms = 0;
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const history = Array.from({ length: historyLength }, (_, index) => indexed(index));
      const before = summaryOf('2026-11-01T00:00:00.000Z', trialsOf());
      const after = summaryOf('2026-11-02T00:00:00.000Z', trialsOf());
      const changes = compareCells(before, after, history);
      expect(changes.flatMap((one) => (one.kind === 'compared' ? [one.between.runs] : []))).toEqual(
        plan.cells.map(() => historyLength),
      );
      if (changes.some((one) => one.kind === 'compared' && one.result !== 'none')) alarms += 1;
    }
    expect(alarms / repetitions).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / repetitions));
  });

  test('that is a change of half is found', () => {
    const history = Array.from({ length: historyLength }, (_, index) => indexed(index));
    const halved = trialsOf().map((trials) => trials.map((tps) => tps / 2));
    const changes = compareCells(
      summaryOf('2026-11-01T00:00:00.000Z', trialsOf()),
      summaryOf('2026-11-02T00:00:00.000Z', halved),
      history,
    );
    expect(changes.some((one) => one.kind === 'compared' && one.result === 'slower')).toBe(true);
  });
});
