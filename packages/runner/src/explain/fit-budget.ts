import { badOption } from '@fair-bench/contract';
import type { CellChoice, Gap } from './plan-cells.ts';
import { expectedMs, type TrialTimes } from '../plan/timing.ts';

/** Rounds without a budget; with one, as many between the bounds as it allows with all cells. */
const roundsPlain = 5;
const roundsMax = 7;
const roundsMin = 3;
/** Of a budget too small for that with a whole order. */
const roundsLeast = 2;
/** Expectations err: the rest is for what takes longer. */
const budgetShare = 0.9;

export interface BudgetOptions {
  /** Milliseconds for everything from now on; undefined for as long as it takes. */
  readonly budgetMs: number | undefined;
  /** Rounds, where the user says how many. */
  readonly trials: number | undefined;
  readonly times: TrialTimes;
  readonly seed: string;
}

export interface FittedCells extends CellChoice {
  readonly rounds: number;
  readonly expectedMs: number;
}

/**
 * The cells and rounds that a budget allows: more rounds while all cells fit, fewer cells when they do not fit
 * in the fewest rounds. An InputError says what the least is when not even one order fits.
 */
export function fitBudget(gap: Gap, { budgetMs, trials, times, seed }: BudgetOptions): FittedCells {
  const available = budgetMs === undefined ? Infinity : budgetMs * budgetShare;
  const fitted = (choice: CellChoice, rounds: number): FittedCells => ({
    ...choice,
    rounds,
    expectedMs: expectedMs(choice.specs, rounds, times),
  });
  for (const rounds of roundsToTry(trials, budgetMs)) {
    if (expectedMs(gap.specs, rounds, times) > available) continue;
    const all = gap.choose(() => true, seed);
    if (all !== null) return fitted(all, rounds);
  }
  const fewest = trials === undefined ? [roundsMin, roundsLeast] : [trials];
  for (const rounds of fewest) {
    const some = gap.choose((specs) => expectedMs(specs, rounds, times) <= available, seed);
    if (some !== null) return fitted(some, rounds);
  }
  const rounds = fewest.at(-1) ?? roundsLeast;
  const one = gap.choose((specs) => specs.length <= gap.cellsMin, seed);
  const leastMs = expectedMs(one?.specs ?? gap.specs, rounds, times) / budgetShare;
  throw badOption(
    'budget',
    `${Math.round((budgetMs ?? 0) / 1000)}s`,
    `at least ${Math.ceil(leastMs / 1000)}s: both ends and one order of their differences are ${gap.cellsMin} cells in ${rounds} rounds`,
  );
}

function roundsToTry(trials: number | undefined, budgetMs: number | undefined): readonly number[] {
  if (trials !== undefined) return [trials];
  if (budgetMs === undefined) return [roundsPlain];
  return Array.from({ length: roundsMax - roundsMin + 1 }, (_, index) => roundsMax - index);
}
