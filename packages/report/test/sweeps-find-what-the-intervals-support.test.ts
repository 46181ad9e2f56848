import { type CellSummary, meanWithInterval, sweepSchema } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { renderMarkdown, renderTerminal } from '../src/index.ts';
import { summarize } from '@fair-bench/analysis';
import { findSweeps } from '@fair-bench/analysis';
import { seededNormal } from '@fair-bench/results/test-support';
import { passedTrial, planOf, present, runOf, voidTrial } from '@fair-bench/analysis/test-support';

/** A measured cell of the summary; a test changes where it lies and what its trials reached. */
const template = present(
  summarize(
    runOf(planOf({ targets: ['a-http'] }), (cell, round) => passedTrial({ cell, round, applied: 1000 })),
  ).cells.find((cell) => cell.status === 'ok'),
);

/** Cells of a sweep over `depth`, `rounds` trials each, at the throughput that the test gives it. */
function cellsOf(
  curves: Readonly<Record<string, (depth: number, round: number) => number>>,
  depths: readonly number[],
  rounds = 3,
): readonly CellSummary[] {
  return Object.entries(curves).flatMap(([target, tpsAt]) =>
    depths.map((depth) => {
      const trials = Array.from({ length: rounds }, (_, round) => tpsAt(depth, round));
      return {
        ...template,
        id: `${target}-d${depth}`,
        target,
        depth,
        tps: { ...meanWithInterval(trials), trials },
      };
    }),
  );
}

const doubling = [1, 2, 4, 8, 16, 32, 64];
const even = [1, 2, 3, 4, 5, 6, 7, 8];
const jitter = (round: number): number => 1 + 0.01 * (round - 1);

describe('a curve', () => {
  test('that rises and then stays has its knee where it bends', () => {
    const [sweep] = findSweeps(
      cellsOf({ 'a-http': (x, round) => 1000 * Math.min(x, 8) * jitter(round) }, doubling),
    );
    expect(sweepSchema.parse(sweep)).toEqual(sweep);
    expect(sweep).toMatchObject({
      parameter: 'depth',
      scale: 'log',
      fixed: { alpha: '0.5', sessions: '50' },
    });
    const curve = present(sweep?.curves[0]);
    expect(curve.points.map(({ x }) => x)).toEqual(doubling);
    expect(curve.knee).toMatchObject({ x: 8 });
    expect(curve.knee?.tps).toBeCloseTo(8000, 0);
    expect(curve.collapse).toBeNull();
    const interval = present(curve.points[3]?.ci95 ?? undefined);
    expect(interval[0]).toBeLessThan(8000);
    expect(interval[1]).toBeGreaterThan(8000);
  });

  test('that only rises has none', () => {
    const [sweep] = findSweeps(cellsOf({ 'a-http': (x, round) => 1000 * x * jitter(round) }, even));
    expect(sweep?.scale).toBe('linear');
    expect(sweep?.curves[0]).toMatchObject({ knee: null, collapse: null });
  });

  test('that falls clearly below its best collapses where it does, for good', () => {
    const heights = new Map([1, 5, 8, 4, 6, 5, 4, 3].map((height, index) => [index + 1, height]));
    const [sweep] = findSweeps(
      cellsOf({ 'a-http': (x, round) => 1000 * present(heights.get(x)) * jitter(round) }, even),
    );
    expect(sweep?.curves[0]?.collapse).toMatchObject({ x: 4 });
  });

  test('of one round has no knee and no collapse without an interval', () => {
    const [sweep] = findSweeps(
      cellsOf({ 'a-http': (x) => (x > 16 ? 100 : 1000 * Math.min(x, 8)) }, doubling, 1),
    );
    expect(sweep?.curves[0]).toMatchObject({ knee: null, collapse: null });
  });
});

test('noise alone is given a knee, a collapse or a crossover in at most 5 of 100 sweeps', () => {
  const normal = seededNormal(7);
  let found = 0;
  for (let repetition = 0; repetition < 300; repetition += 1) {
    const noisy = (): number => 1000 * Math.exp(0.05 * normal());
    const [sweep] = findSweeps(cellsOf({ 'a-http': (x) => x * noisy(), 'b-http': (x) => x * noisy() }, even));
    const bent = sweep?.curves.some(({ knee, collapse }) => knee !== null || collapse !== null);
    if (bent === true || present(sweep).crossovers.length > 0) found += 1;
  }
  expect(found / 300).toBeLessThanOrEqual(0.05);
});

test('a bend in 5 % of noise is found in at least 9 of 10 sweeps, within a step of where it is', () => {
  const normal = seededNormal(11);
  let found = 0;
  for (let repetition = 0; repetition < 100; repetition += 1) {
    const [sweep] = findSweeps(
      cellsOf({ 'a-http': (x) => 1000 * Math.min(x, 8) * Math.exp(0.05 * normal()) }, doubling),
    );
    const knee = sweep?.curves[0]?.knee?.x ?? 0;
    if (knee >= 4 && knee <= 16) found += 1;
  }
  expect(found).toBeGreaterThanOrEqual(90);
});

describe('two targets', () => {
  const rising = (x: number, round: number): number => 1000 * x * jitter(round);

  test('cross where the ratio of their curves passes 1, and share the swept range', () => {
    const [sweep] = findSweeps(cellsOf({ 'a-http': () => 4500, 'b-http': rising }, even));
    const [crossover] = present(sweep).crossovers;
    expect(sweep?.crossovers).toHaveLength(1);
    expect(crossover).toMatchObject({ targets: ['a-http', 'b-http'], between: [4, 5] });
    expect(crossover?.x).toBeGreaterThan(4.4);
    expect(crossover?.x).toBeLessThan(4.6);
    expect(crossover?.firstFasterShare).toBeCloseTo(0.5, 1);
  });

  test('cross on the scale of the sweep', () => {
    const [sweep] = findSweeps(cellsOf({ 'a-http': () => 8000 * Math.SQRT1_2, 'b-http': rising }, doubling));
    // 5657 is reached at depth 5.657: 2.5 of the 6 doublings.
    expect(sweep?.crossovers[0]?.x).toBeCloseTo(5.657, 1);
    expect(sweep?.crossovers[0]?.firstFasterShare).toBeCloseTo(2.5 / 6, 2);
  });

  test('that swap twice cross twice', () => {
    const [sweep] = findSweeps(
      cellsOf({ 'a-http': () => 3000, 'b-http': (x) => (x > 2 && x < 6 ? 4000 : 2000) }, even),
    );
    expect(sweep?.crossovers.map(({ between }) => between)).toEqual([
      [2, 3],
      [5, 6],
    ]);
    expect(sweep?.crossovers[0]?.firstFasterShare).toBeCloseTo((1.585 + 2.585) / 7, 1);
  });

  test('do not cross by less than the noise floor', () => {
    const cells = cellsOf({ 'a-http': () => 1000, 'b-http': (x) => (x > 4 ? 1030 : 970) }, even);
    expect(findSweeps(cells)[0]?.crossovers).toHaveLength(1);
    expect(findSweeps(cells, 1.05)[0]?.crossovers).toEqual([]);
  });
});

test('two values make no sweep, and a void is no point of one', () => {
  expect(findSweeps(cellsOf({ 'a-http': () => 1000 }, [1, 8]))).toEqual([]);
  const plan = planOf({ targets: ['a-http'], depths: even });
  const { cells } = summarize(
    runOf(plan, (cell, round) =>
      cell.depth === 3 ? voidTrial({ cell, round }) : passedTrial({ cell, round, applied: 1000 }),
    ),
  );
  expect(findSweeps(cells)[0]?.curves[0]?.points.map(({ x }) => x)).toEqual(even.filter((x) => x !== 3));
});

test('terminal and Markdown have a table and the findings of each sweep', () => {
  const plan = planOf({ targets: ['a-http', 'b-http'], depths: doubling });
  const summary = summarize(
    runOf(plan, (cell, round) => {
      const tps = cell.target === 'a-http' ? 1000 * Math.min(cell.depth, 8) : 3000;
      return passedTrial({ cell, round, applied: Math.round(2 * tps * jitter(round)) });
    }),
  );
  for (const output of [
    renderTerminal(summary, { color: false, width: 200, verbose: true }),
    renderMarkdown(summary),
  ]) {
    const text = output.replaceAll('\\', '');
    expect(text).toContain('Sweep of depth at alpha 0.5, sessions 50');
    expect(text).toContain('a-http: knee at depth 8 with 8,000 TPS');
    expect(text).toMatch(
      /a-http and b-http cross at depth 3 \(between 2 and 4\); a-http is the faster one in 7\d/,
    );
    expect(text).toContain('Kneedle');
    expect(text).toMatch(/64 [ |]*8,000 [ |]*± 199/);
  }
});
