import { type Cell, type Comparison, type HeldTrial, pairedRatio } from '@fair-bench/results';

/** A cell of which every trial held. */
export interface MeasuredCell {
  readonly cell: Cell;
  readonly held: readonly HeldTrial[];
}

/** The second against the first: the load is the baseline's, the ratio that of throughputs paired by round. */
export function comparisonOf(baseline: MeasuredCell, contender: MeasuredCell): Comparison {
  const { client, workload, parameters, alpha, depth, sessions, ratePerSecond } = baseline.cell;
  return {
    baseline: baseline.cell.target,
    contender: contender.cell.target,
    client,
    workload,
    parameters,
    alpha,
    depth,
    sessions,
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    ...pairedRatio(roundsOf(baseline, contender)),
  };
}

/** Throughputs of the two, paired by round. */
function roundsOf(
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
