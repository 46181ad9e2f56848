import {
  type CellSummary,
  type Sweep,
  type SweepCurve,
  meanWithInterval,
  sweepParameterSchema,
} from '@fair-bench/results';
import { collapseOf, kneeOf } from './bends.ts';
import { crossoversOf } from './crossovers.ts';
import { scaleOf } from './scale.ts';
import type { SweptCurve, SweptPoint } from './swept-curve.ts';

type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;
type Parameter = Sweep['parameter'];

/** Fewer values make no curve. */
const valuesMin = 3;

const valueOf: Readonly<Record<Parameter, (cell: CellSummary) => number | null>> = {
  alpha: ({ alpha }) => alpha,
  sessions: ({ sessions }) => sessions,
  depth: ({ depth }) => depth,
  rate: ({ ratePerSecond }) => ratePerSecond ?? null,
};

/**
 * The sweeps of a run: every parameter of which some target has a number at three or more values while everything
 * else is held. Cells without a number are no points. Pure.
 *
 * @param noiseRatio the machine's noise floor as a ratio; 1 when nothing is known of it.
 */
export function findSweeps(cells: readonly CellSummary[], noiseRatio = 1): readonly Sweep[] {
  const measured = cells.filter((cell) => cell.status === 'ok');
  return sweepParameterSchema.options.flatMap((parameter) =>
    [...Map.groupBy(measured, (cell) => JSON.stringify(heldBeside(parameter, cell))).values()].flatMap(
      (group) => sweepOf(parameter, group, noiseRatio) ?? [],
    ),
  );
}

function sweepOf(
  parameter: Parameter,
  cells: readonly MeasuredCell[],
  noiseRatio: number,
): Sweep | undefined {
  const [first] = cells;
  const curves = curvesOf(parameter, cells);
  if (first === undefined || !curves.some(({ points }) => points.length >= valuesMin)) return undefined;
  const values = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))];
  const scale = scaleOf(values.toSorted((a, b) => a - b));
  const crossovers = curves.flatMap((one, index) =>
    curves
      .slice(index + 1)
      .filter((other) => isComparable(one, other))
      .flatMap((other) => crossoversOf(one, other, scale, noiseRatio)),
  );
  const fixed = heldBeside(parameter, first);
  return { parameter, scale: scale.name, fixed, curves: curves.map(describeCurve), crossovers };
}

/** What is held while the parameter is swept: name → value, in words. */
function heldBeside(parameter: Parameter, cell: CellSummary): Record<string, string> {
  const { workload, durability, profile } = cell;
  const others = sweepParameterSchema.options.filter((name) => name !== parameter);
  return Object.fromEntries(
    [
      ['workload', workload] as const,
      ...others.map((name) => [name, valueOf[name](cell)] as const),
      ['durability', durability ?? null] as const,
      ['profile', profile ?? null] as const,
    ].flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
}

function curvesOf(parameter: Parameter, cells: readonly MeasuredCell[]): readonly SweptCurve[] {
  const groups = Map.groupBy(cells, ({ target, client }) => `${target} ${client}`);
  return [...groups.values()].flatMap((group) => {
    const points = group
      .flatMap((cell): SweptPoint[] => {
        const x = valueOf[parameter](cell);
        return x === null ? [] : [{ x, cellId: cell.id, tps: cell.tps.trials }];
      })
      .toSorted((a, b) => a.x - b.x);
    const [first] = group;
    return first === undefined || points.length < 2
      ? []
      : [{ target: first.target, client: first.client, points }];
  });
}

/** Two targets by one load client: a crossover names targets alone. */
function isComparable(one: SweptCurve, other: SweptCurve): boolean {
  return one.target !== other.target && one.client === other.client;
}

function describeCurve({ target, client, points }: SweptCurve): SweepCurve {
  const bend = (point: SweptPoint | null) =>
    point === null ? null : { x: point.x, tps: meanWithInterval(point.tps).mean };
  return {
    target,
    client,
    points: points.map(({ x, cellId, tps }) => {
      const { mean, ci95 } = meanWithInterval(tps);
      return { x, cellId, tps: mean, ci95 };
    }),
    knee: bend(kneeOf(points)),
    collapse: bend(collapseOf(points)),
  };
}
