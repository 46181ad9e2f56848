import { type LogsByRound, type Standing, standingsOf } from '@fair-bench/analysis';
import type { RunPlan } from '@fair-bench/results';

/** A contrast that is decided needs half the precision of one that is not. */
const decidedShare = 0.5;
/**
 * From so many rounds on a contrast can be narrow enough. Who stops at the first narrow interval stops where chance made
 * it narrow (Chow & Robbins, Annals of Mathematical Statistics 36, 1965): from five rounds on, coverage falls to 93 %.
 */
const preciseRoundsLeast = 12;
/** Contrasts that are all narrower than this need no rounds of their own: whole rounds follow. */
const narrowRatio = 1.05;

/** One block measured once more: its cells in their order, in a round that none of them had. */
export interface Turn {
  readonly round: number;
  readonly cells: readonly string[];
}

export interface Measured {
  /** The cells of each round so far, in the order in which they were measured. */
  readonly rounds: readonly (readonly string[])[];
  /** Of cells without a void alone: the others are in no comparison. */
  readonly logs: ReadonlyMap<string, LogsByRound>;
}

/**
 * What is measured next once the planned rounds are done: the block with the contrast that needs it most. That is the
 * one with the widest 95 % interval, where a contrast that is decided counts half: what is still undecided gets more
 * rounds. Decided means at 0.1 % (Haybittle–Peto, see `standingsOf`), so that looking after every turn leaves the
 * error of the intervals at 5 %; simulated in `rounds-answer-their-contrasts.test.ts`. Null once every contrast is within
 * the precision that is requested.
 */
export function nextTurn(
  { blocks = [], contrasts = [], allocation }: Pick<RunPlan, 'blocks' | 'contrasts' | 'allocation'>,
  measured: Measured,
): Turn | null {
  const { precisionRatio } = allocation ?? {};
  const wide = standingsOf(contrasts, measured.logs).filter(
    ({ halfWidth, rounds }) =>
      rounds < preciseRoundsLeast || halfWidth > Math.log(precisionRatio ?? narrowRatio),
  );
  if (wide.length === 0) return precisionRatio === undefined ? turnOf(blocks.flat(), measured) : null;
  const widest = wide.reduce((most, one) => (needOf(one) > needOf(most) ? one : most));
  return turnOf(blocks.find((block) => block.includes(widest.baseline)) ?? [], measured);
}

function needOf({ halfWidth, isDecided }: Standing): number {
  return isDecided ? halfWidth * decidedShare : halfWidth;
}

/** The other way round than the last time. */
function turnOf(cells: readonly string[], { rounds, logs }: Measured): Turn | null {
  const due = cells.filter((id) => logs.has(id));
  const [first] = due;
  const last = due.at(-1);
  if (first === undefined || last === undefined) return null;
  const lastRound = rounds.findLastIndex((ids) => due.some((id) => ids.includes(id)));
  const before = rounds[lastRound] ?? [];
  const isForwards = before.indexOf(first) < before.indexOf(last);
  return { round: lastRound + 1, cells: isForwards ? due.toReversed() : due };
}
