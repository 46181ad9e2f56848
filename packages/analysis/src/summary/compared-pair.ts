import {
  type Cell,
  type Comparison,
  type PassedTrial,
  type RatioEstimate,
  type RoundPair,
  cellLoadOf,
  pairedRatio,
} from '@fair-bench/results';
import { serverCpuUsOf } from './cpu-per-operation.ts';

/** What kind of comparison the pair is, beside what both have in common. */
export interface ComparedPair {
  readonly baseline: Cell;
  readonly contender: Cell;
  readonly about: Pick<Comparison, 'of' | 'points' | 'durability'>;
}

type Compared = Omit<
  Comparison,
  keyof RatioEstimate | 'of' | 'points' | 'durability' | 'pValueAdjusted' | 'rounds'
>;

/** A cell with its trials, all of which passed. */
export interface CellWithTrials {
  readonly cell: Cell;
  readonly passed: readonly PassedTrial[];
}

/** Which two are compared, and their servers' CPU: the load is the baseline's. */
export function comparisonOf(baseline: CellWithTrials, contender: CellWithTrials): Compared {
  return {
    baseline: baseline.cell.target,
    contender: contender.cell.target,
    ...cellLoadOf(baseline.cell),
    ...serverCpuOf(baseline, contender),
  };
}

/** Throughputs of two cells, paired by round. */
export function throughputPairs(baseline: CellWithTrials, contender: CellWithTrials): readonly RoundPair[] {
  return roundsOf(baseline, contender, ({ tps }) => tps);
}

function serverCpuOf(baseline: CellWithTrials, contender: CellWithTrials): Pick<Comparison, 'serverCpu'> {
  const rounds = roundsOf(baseline, contender, serverCpuUsOf);
  if (rounds.length === 0 || rounds.length < throughputPairs(baseline, contender).length) return {};
  const { ratio, ci95 } = pairedRatio(rounds);
  return { serverCpu: { ratio, ci95 } };
}

/** A measure of the two, paired by round; rounds in which one of them has none are left out. */
function roundsOf(
  baseline: CellWithTrials,
  contender: CellWithTrials,
  measure: (trial: PassedTrial) => number | null,
): readonly RoundPair[] {
  const others = new Map(contender.passed.map((trial) => [trial.round, trial]));
  return baseline.passed.flatMap((trial) => {
    const same = others.get(trial.round);
    const [own, other] = [measure(trial), same === undefined ? null : measure(same)];
    return own === null || other === null ? [] : [{ baseline: own, contender: other }];
  });
}

/** The load and the client of each of the two. */
export function pointsOf(baseline: Cell, contender: Cell): NonNullable<Comparison['points']> {
  return { baseline: pointOf(baseline), contender: pointOf(contender) };
}

function pointOf({ client, sessions, depth }: Cell): Pick<Cell, 'client' | 'sessions' | 'depth'> {
  return { client, sessions, depth };
}
