import {
  type CellSummary,
  type HeldTrial,
  type RunSummary,
  type TrialRecord,
  isHeld,
} from '@fair-bench/results';
import { type DecodedHistogram, decodeHistogram, mergeHistograms } from '@fair-bench/load-client';
import { axes } from '../sections/axes.ts';
import { byThroughput } from '../sections/results.ts';
import { seriesStyles, type StyleOf } from './series-style.ts';

export type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;

type UnmeasuredCell = Exclude<CellSummary, MeasuredCell>;

/** What the page is made of: the summary, and the trials of the cells that have a number. */
export interface Evidence {
  readonly summary: RunSummary;
  readonly groups: readonly CellGroup[];
  readonly styleOf: StyleOf;
  readonly trialsOf: (cell: MeasuredCell) => readonly HeldTrial[];
  /** Of all trials of a cell together; null when its trials are not at hand. */
  readonly latencyOf: (cell: MeasuredCell) => DecodedHistogram | null;
}

/** Cells that are looked at side by side. */
export interface CellGroup {
  readonly name: string;
  readonly cells: readonly MeasuredCell[];
  /** Cells of the same load without a number. */
  readonly unmeasured: readonly UnmeasuredCell[];
  /** A cell's name within the group: its target, and what else tells it from the others. */
  readonly nameOf: (cell: CellSummary) => string;
}

export function evidenceOf(summary: RunSummary, trials: readonly TrialRecord[]): Evidence {
  const held = Map.groupBy(trials.filter(isHeld), ({ cellId }) => cellId);
  const inOrder = (cell: MeasuredCell): readonly HeldTrial[] =>
    (held.get(cell.id) ?? []).toSorted((a, b) => a.round - b.round);
  const histograms = new Map<string, DecodedHistogram | null>();
  return {
    summary,
    groups: groupsOf(summary.cells),
    styleOf: seriesStyles(summary.cells),
    trialsOf: inOrder,
    latencyOf(cell) {
      const known = histograms.get(cell.id);
      if (known !== undefined) return known;
      const encoded = inOrder(cell).map(({ result }) => result.latency.applied);
      const decoded = encoded.length === 0 ? null : decodeHistogram(mergeHistograms(encoded));
      histograms.set(cell.id, decoded);
      return decoded;
    },
  };
}

type Described = readonly [name: string, of: (cell: CellSummary) => string | number | null];

/** A cell's load; its client is a part of its name. */
const parameters: readonly Described[] = axes
  .filter(({ name }) => name !== 'client')
  .map(({ name, of }) => [name, of]);
/** What a cell's name says with its parameter's name before it. */
const describedOnce: readonly Described[] = [
  ...parameters.filter(([name]) => name !== 'depth' && name !== 'sessions'),
  ['profile', ({ profile }) => profile ?? null],
];

/**
 * Cells of the same load are one group. Where hardly any two have the same (each at its own best point, or
 * one switch after another), all of one skew are.
 */
function groupsOf(cells: readonly CellSummary[]): readonly CellGroup[] {
  const same = Map.groupBy(cells, (cell) => JSON.stringify(parameters.map(([, of]) => of(cell))));
  const isSparse = same.size * 2 > cells.length && same.size > 1;
  // Durable and async commits are never side by side.
  const groups = isSparse
    ? Map.groupBy(cells, ({ alpha, durability }) => JSON.stringify([alpha, durability]))
    : same;
  return [...groups.values()].flatMap((group) => {
    const measured = group.filter((cell) => cell.status === 'ok').toSorted(byThroughput);
    if (measured.length === 0) return [];
    return {
      name: parameters.flatMap((parameter) => sharedValue(parameter, group, cells)).join(', '),
      cells: measured,
      unmeasured: group.filter((cell) => cell.status === 'void' || cell.status === 'interrupted'),
      nameOf: (cell: CellSummary) => nameWithin(cell, group),
    };
  });
}

/** What all of a group have, where a reader needs it: skew and depth always, the rest where the run varies it. */
function sharedValue(
  [name, of]: Described,
  group: readonly CellSummary[],
  all: readonly CellSummary[],
): readonly string[] {
  const [first] = group;
  const value = first === undefined ? null : of(first);
  const isWorthSaying =
    axes.some((axis) => axis.name === name && axis.isAlwaysSaid) || new Set(all.map(of)).size > 1;
  return value !== null && isWorthSaying && group.every((cell) => of(cell) === value)
    ? [`${name} ${value}`]
    : [];
}

/** `postgres-driver, native, 50 × 8`: what varies within the group, sessions × depth together. */
function nameWithin(cell: CellSummary, group: readonly CellSummary[]): string {
  const varies = (of: Described[1]): boolean => new Set(group.map(of)).size > 1;
  const isPoint = varies(({ depth }) => depth) || varies(({ sessions }) => sessions);
  const { target, client, sessions, depth } = cell;
  const others = describedOnce.flatMap(([name, of]) => {
    const value = of(cell);
    return value === null || !varies(of) ? [] : [`${name} ${value}`];
  });
  return [
    target,
    ...(varies((each) => each.client) ? [client] : []),
    ...(isPoint ? [`${sessions} × ${depth}`] : []),
    ...others,
  ].join(', ');
}
