import { type LogsByRound, type ContrastEstimate, contrastEstimates } from '@fair-bench/analysis';
import type { RunPlan } from '@fair-bench/results';

/** A decided contrast needs half the precision of an undecided one. */
const decidedShare = 0.5;
/**
 * A contrast can be narrow enough only from this many rounds on. Stopping at the first narrow interval selects those
 * that are narrow by chance (Chow & Robbins, Annals of Mathematical Statistics 36, 1965): from five rounds on,
 * coverage falls to 93 %.
 */
const preciseRoundsLeast = 12;
/** When all contrasts are narrower than this, no block is preferred: whole rounds follow. */
const narrowRatio = 1.05;

/** One block measured once more: its cells in order, in a new round. */
export interface Turn {
  readonly round: number;
  readonly cells: readonly string[];
}

export interface Measured {
  /** The cells of each round so far, in the order of measurement. */
  readonly rounds: readonly (readonly string[])[];
  /** Of cells without a void: the others have no comparison. */
  readonly logs: ReadonlyMap<string, LogsByRound>;
}

/**
 * The next block after the planned rounds: the one whose contrast needs it most. This is the contrast with the widest
 * 95 % interval, where a decided one counts half, so that undecided ones get more rounds. Decided means at 0.1 %
 * (Haybittle–Peto, see `contrastEstimates`), so looking after every turn keeps the error of the intervals at 5 %; simulated
 * in `rounds-answer-their-contrasts.test.ts`. Null once every contrast has the requested precision.
 */
export function nextTurn(
  { blocks = [], contrasts = [], allocation }: Pick<RunPlan, 'blocks' | 'contrasts' | 'allocation'>,
  measured: Measured,
): Turn | null {
  const { precisionRatio } = allocation ?? {};
  const wide = contrastEstimates(contrasts, measured.logs).filter(
    ({ halfWidth, rounds }) =>
      rounds < preciseRoundsLeast || halfWidth > Math.log(precisionRatio ?? narrowRatio),
  );
  if (wide.length === 0) return precisionRatio === undefined ? turnOf(blocks.flat(), measured) : null;
  const widest = wide.reduce((most, one) => (needOf(one) > needOf(most) ? one : most));
  return turnOf(blocks.find((block) => block.includes(widest.baseline)) ?? [], measured);
}

function needOf({ halfWidth, isDecided }: ContrastEstimate): number {
  return isDecided ? halfWidth * decidedShare : halfWidth;
}

/** In the opposite order of the last time. */
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
