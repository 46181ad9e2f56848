import {
  type CellSummary,
  type PassedTrial,
  type RunSummary,
  type TrialRecord,
  isPassed,
  type MeasuredCell,
} from '@fair-bench/results';
import { type DecodedHistogram, decodeHistogram, reportedLatency } from '@fair-bench/load-client';
import { type Axis, axesOf, workloadAxes } from '../sections/axes.ts';
import { byThroughput } from '../sections/results.ts';
import { seriesStyles, type StyleOf } from './series-style.ts';

type UnmeasuredCell = Exclude<CellSummary, MeasuredCell>;

/** The input of the page: the summary, and the trials of the cells that have a number. */
export interface Evidence {
  readonly summary: RunSummary;
  readonly groups: readonly CellGroup[];
  readonly styleOf: StyleOf;
  readonly trialsOf: (cell: MeasuredCell) => readonly PassedTrial[];
  /** Over all trials of a cell; null without its trials. */
  readonly latencyOf: (cell: MeasuredCell) => DecodedHistogram | null;
}

/** Cells shown side by side. */
export interface CellGroup {
  readonly name: string;
  readonly cells: readonly MeasuredCell[];
  /** Cells of the same load without a number. */
  readonly unmeasured: readonly UnmeasuredCell[];
  /** A cell's name within the group: its target and what distinguishes it from the others. */
  readonly nameOf: (cell: CellSummary) => string;
}

export function evidenceOf(summary: RunSummary, trials: readonly TrialRecord[]): Evidence {
  const passed = Map.groupBy(trials.filter(isPassed), ({ cellId }) => cellId);
  const inOrder = (cell: MeasuredCell): readonly PassedTrial[] =>
    (passed.get(cell.id) ?? []).toSorted((a, b) => a.round - b.round);
  const histograms = new Map<string, DecodedHistogram | null>();
  return {
    summary,
    groups: groupsOf(summary.cells),
    styleOf: seriesStyles(summary.cells),
    trialsOf: inOrder,
    latencyOf(cell) {
      const known = histograms.get(cell.id);
      if (known !== undefined) return known;
      const results = inOrder(cell).map(({ result }) => result);
      const decoded = results.length === 0 ? null : decodeHistogram(reportedLatency(results));
      histograms.set(cell.id, decoded);
      return decoded;
    },
  };
}

const profile: Axis = {
  name: 'profile',
  of: (one) => one.profile ?? null,
  isAlwaysSaid: false,
  isColumn: false,
};

/**
 * Cells of the same load are one group. Where hardly any two have the same load (each at its own best point, or one
 * change after another), all cells with the same workload axes are one group.
 */
function groupsOf(all: readonly CellSummary[]): readonly CellGroup[] {
  // An unavailable cell was never sent a load.
  const cells = all.filter(({ status }) => status !== 'unavailable');
  // A cell's client is a part of its name.
  const axes = axesOf(cells).filter(({ name }) => name !== 'client');
  const same = groupBy(cells, axes);
  const isSparse = same.length * 2 > cells.length && same.length > 1;
  // Durable and async commits are never side by side.
  const coarse = new Set([...workloadAxes(cells), 'durability']);
  const groups = isSparse
    ? groupBy(
        cells,
        axes.filter(({ name }) => coarse.has(name)),
      )
    : same;
  return groups.flatMap((group) => {
    const measured = group.filter((cell) => cell.status === 'ok').toSorted(byThroughput);
    if (measured.length === 0) return [];
    return {
      name: axes.flatMap((axis) => sharedValue(axis, group, cells)).join(', '),
      cells: measured,
      unmeasured: group.filter((cell) => cell.status === 'void' || cell.status === 'interrupted'),
      nameOf: (cell: CellSummary) => nameWithin(cell, group, axes),
    };
  });
}

function groupBy(cells: readonly CellSummary[], axes: readonly Axis[]): readonly (readonly CellSummary[])[] {
  return [...Map.groupBy(cells, (cell) => JSON.stringify(axes.map(({ of }) => of(cell)))).values()];
}

/** What all cells of a group share: always the workload's axes and depth, the rest where the run varies it. */
function sharedValue(
  { name, of, isAlwaysSaid }: Axis,
  group: readonly CellSummary[],
  all: readonly CellSummary[],
): readonly string[] {
  const [first] = group;
  const value = first === undefined ? null : of(first);
  const isWorthSaying = isAlwaysSaid || new Set(all.map(of)).size > 1;
  return value !== null && isWorthSaying && group.every((cell) => of(cell) === value)
    ? [`${name} ${value}`]
    : [];
}

/** `postgres-driver, native, 50 × 8`: what varies within the group, with sessions × depth as one word. */
function nameWithin(cell: CellSummary, group: readonly CellSummary[], axes: readonly Axis[]): string {
  const varies = (of: (one: CellSummary) => unknown): boolean => new Set(group.map(of)).size > 1;
  const isPoint = varies(({ depth }) => depth) || varies(({ sessions }) => sessions);
  const { target, client, sessions, depth } = cell;
  const others = [...axes, profile].flatMap(({ name, of }) => {
    const value = of(cell);
    const isSaid = name !== 'depth' && name !== 'sessions' && varies(of);
    return value === null || !isSaid ? [] : [`${name} ${value}`];
  });
  return [
    target,
    ...(varies((each) => each.client) ? [client] : []),
    ...(isPoint ? [`${sessions} × ${depth}`] : []),
    ...others,
  ].join(', ');
}
