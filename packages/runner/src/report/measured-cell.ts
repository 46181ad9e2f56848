import type { Cell, Comparison } from '@fair-bench/contract';
import type { HeldTrial } from './trial-record.ts';

/** A cell of which every trial held. */
export interface MeasuredCell {
  readonly cell: Cell;
  readonly held: readonly HeldTrial[];
}

/** Throughputs of the two, paired by round. */
export function roundsOf(
  baseline: MeasuredCell,
  contender: MeasuredCell,
): { readonly baseline: number; readonly contender: number }[] {
  return baseline.held.flatMap(({ round, tps }) => {
    const same = contender.held.find((trial) => trial.round === round);
    return same === undefined ? [] : [{ baseline: tps, contender: same.tps }];
  });
}

/** The workload's parameters, the same text for the same parameters. */
export function parametersOf({ parameters }: Cell): string {
  return JSON.stringify(Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The load and the client of each of the two. */
export function pointsOf(baseline: MeasuredCell, contender: MeasuredCell): NonNullable<Comparison['points']> {
  return { baseline: pointOf(baseline), contender: pointOf(contender) };
}

function pointOf({
  cell: { client, sessions, depth },
}: MeasuredCell): Pick<Cell, 'client' | 'sessions' | 'depth'> {
  return { client, sessions, depth };
}
