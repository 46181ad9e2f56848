import { type Cell, type Comparison, type HeldTrial, combinationOf, pairedRatio } from '@fair-bench/results';

/** A cell of which every trial held. */
export interface MeasuredCell {
  readonly cell: Cell;
  readonly held: readonly HeldTrial[];
}

/** The second against the first: the load is the baseline's, the ratio that of throughputs paired by round. */
export function comparisonOf(baseline: MeasuredCell, contender: MeasuredCell): Comparison {
  const { client, workload, depth, sessions, ratePerSecond } = baseline.cell;
  return {
    baseline: baseline.cell.target,
    contender: contender.cell.target,
    client,
    workload,
    ...combinationOf(baseline.cell),
    depth,
    sessions,
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    ...pairedRatio(roundsOf(baseline, contender, ({ tps }) => tps)),
    ...serverCpuOf(baseline, contender),
  };
}

function serverCpuOf(baseline: MeasuredCell, contender: MeasuredCell): Pick<Comparison, 'serverCpu'> {
  const rounds = roundsOf(baseline, contender, serverCpuPerOperation);
  if (rounds.length < baseline.held.length) return {};
  const { ratio, ci95 } = pairedRatio(rounds);
  return { serverCpu: { ratio, ci95 } };
}

/** Null where a process that serves could not be seen, as at a server of the user's. */
function serverCpuPerOperation({ cpuUs, result, factsAfter }: HeldTrial): number | null {
  if (factsAfter.provider === 'url') return null;
  const served = (cpuUs.appServer ?? 0) + (cpuUs.database ?? 0);
  return served > 0 && result.window.applied > 0 ? served / result.window.applied : null;
}

/** A measure of the two, paired by round; rounds in which one of them has none are left out. */
function roundsOf(
  baseline: MeasuredCell,
  contender: MeasuredCell,
  measure: (trial: HeldTrial) => number | null,
): { readonly baseline: number; readonly contender: number }[] {
  return baseline.held.flatMap((trial) => {
    const same = contender.held.find(({ round }) => round === trial.round);
    const [own, other] = [measure(trial), same === undefined ? null : measure(same)];
    return own === null || other === null ? [] : [{ baseline: own, contender: other }];
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
