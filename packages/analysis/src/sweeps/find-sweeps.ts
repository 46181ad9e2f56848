import {
  type CellSummary,
  fewValues,
  isSetIn,
  type LoadSetting,
  type Sweep,
  type SweepCurve,
  quantityWithInterval,
  settingsOfLoad,
  valueOfSetting,
  type MeasuredCell,
} from '@fair-bench/results';
import { collapseOf, kneeOf } from './bends.ts';
import { crossoversOf } from './crossovers.ts';
import { scalabilityOf } from './scalability.ts';
import { scaleOf } from './scale.ts';
import type { SweptCurve, SweptPoint } from './swept-curve.ts';

/** A parameter that a run can sweep: of the load or of the workload. */
interface Swept {
  readonly name: string;
  readonly of: (cell: CellSummary) => number | null;
  readonly curve: NonNullable<LoadSetting['of']['curve']>;
}

/** A setting whose values have an order, swept or not. A cell that has the default has no value of it. */
function sweptSetting(setting: LoadSetting): readonly Swept[] {
  const { key, of, defaultValue } = setting;
  if (of.curve === null) return [];
  const valueOf = (cell: CellSummary): number | null => {
    const value = valueOfSetting(setting, cell);
    const isCounted = defaultValue === null || isSetIn(setting, cell);
    return typeof value === 'number' && isCounted ? value : null;
  };
  return [{ name: key, of: valueOf, curve: of.curve }];
}

/** The workload's axes and its other parameters that differ between cells, then the load. */
function sweptIn(cells: readonly CellSummary[]): readonly Swept[] {
  const names = new Set(cells.flatMap(({ parameters }) => Object.keys(parameters)));
  const axes = new Set(cells.flatMap(({ axes: own }) => own));
  const ofWorkload = [...names].map((name): Swept => ({
    name,
    curve: fewValues,
    of: ({ parameters }) => {
      const value = parameters[name];
      return typeof value === 'number' ? value : null;
    },
  }));
  const isSwept = ({ name, of }: Swept): boolean => axes.has(name) || new Set(cells.map(of)).size > 1;
  return [...ofWorkload.filter(isSwept), ...settingsOfLoad().flatMap(sweptSetting)];
}

/**
 * The sweeps of a run: every parameter for which some target has numbers at three or more values while everything
 * else is fixed. Cells without a number are left out. Pure.
 * @param noiseRatio the machine's noise floor as a ratio; 1 when unknown.
 */
export function findSweeps(cells: readonly CellSummary[], noiseRatio = 1): readonly Sweep[] {
  const measured = cells.filter((cell) => cell.status === 'ok');
  const all = sweptIn(measured);
  return all.flatMap((swept) => {
    const others = all.filter((one) => one !== swept);
    const groups = Map.groupBy(measured, (cell) => JSON.stringify(fixedBeside(others, cell)));
    return [...groups.values()].flatMap((group) => sweepOf(swept, others, group, noiseRatio) ?? []);
  });
}

function sweepOf(
  swept: Swept,
  others: readonly Swept[],
  cells: readonly MeasuredCell[],
  noiseRatio: number,
): Sweep | undefined {
  const [first] = cells;
  const curves = curvesOf(swept, cells);
  const { valuesLeast } = swept.curve;
  if (first === undefined || !curves.some(({ points }) => points.length >= valuesLeast)) return undefined;
  const values = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))];
  const scale = scaleOf(values.toSorted((a, b) => a - b));
  const crossovers = curves.flatMap((one, index) =>
    curves
      .slice(index + 1)
      .filter((other) => isComparable(one, other))
      .flatMap((other) => crossoversOf(one, other, scale, noiseRatio)),
  );
  const fixed = fixedBeside(others, first);
  return {
    parameter: swept.name,
    scale: scale.name,
    fixed,
    curves: curves.map((curve) => describeCurve(curve, swept)),
    crossovers,
  };
}

/** What is fixed while the parameter is swept: name → value, in words. */
function fixedBeside(others: readonly Swept[], cell: CellSummary): Record<string, string> {
  const { workload, durability, profile } = cell;
  return Object.fromEntries(
    [
      ['workload', workload] as const,
      ...others.map(({ name, of }) => [name, of(cell)] as const),
      ['durability', durability ?? null] as const,
      ['profile', profile ?? null] as const,
    ].flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );
}

function curvesOf(swept: Swept, cells: readonly MeasuredCell[]): readonly SweptCurve[] {
  const groups = Map.groupBy(cells, ({ target, client }) => `${target} ${client}`);
  // Points are compared round by round; rounds that not all of them have are left out.
  const rounds = Math.min(...cells.map(({ tps }) => tps.trials.length));
  return [...groups.values()].flatMap((group) => {
    const points = group
      .flatMap((cell): SweptPoint[] => {
        const x = swept.of(cell);
        if (x === null) return [];
        const held = cell.openLoop === undefined ? {} : { held: cell.openLoop.held };
        return [{ x, cellId: cell.id, tps: cell.tps.trials.slice(0, rounds), ...held }];
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

function describeCurve({ target, client, points }: SweptCurve, { curve: { says } }: Swept): SweepCurve {
  const bend = (point: SweptPoint | null) =>
    point === null ? null : { x: point.x, tps: quantityWithInterval(point.tps).mean };
  return {
    target,
    client,
    points: points.map(({ x, cellId, tps }) => {
      const { mean, ci95 } = quantityWithInterval(tps);
      return { x, cellId, tps: mean, ci95 };
    }),
    knee: bend(kneeOf(points)),
    collapse: bend(collapseOf(points)),
    ...(says === 'scalability' ? { scalability: scalabilityOf(points) } : {}),
    ...(says === 'rate-held' ? { rateHeld: points.findLast(({ held }) => held)?.x ?? null } : {}),
  };
}
