import { badOption } from '@fair-bench/contract';
import type { CellSpec } from '../plan/assemble-plan.ts';
import { roundsLeast } from '../plan/order-rounds.ts';
import { expectedMs, type TrialTimes } from '../plan/timing.ts';
import type { CellChoice, Gap } from './plan-cells.ts';

/** The ends and the architecture must keep this many rounds before orders are added. */
const coreRounds = 12;
/** A reserve, because expected times are inexact. */
const budgetShare = 0.9;

export interface BudgetOptions {
  /** Milliseconds for everything from now on; undefined without a limit. */
  readonly budgetMs: number | undefined;
  /** Rounds, if the user fixes them. */
  readonly trials: number | undefined;
  readonly times: TrialTimes;
  readonly seed: string;
}

export interface FittedCells extends CellChoice {
  /** Of every cell. */
  readonly rounds: number;
  /** Including the rounds that only the core has. */
  readonly expectedMs: number;
}

/**
 * The cells that a budget allows. The ends and the architecture come first: orders are added while those keep twelve
 * rounds and every other cell five. A budget too small for that with one order gives five rounds to all. If not even
 * that fits, an InputError states the minimum.
 */
export function fitBudget(gap: Gap, { budgetMs, trials, times, seed }: BudgetOptions): FittedCells {
  const available = budgetMs === undefined ? Infinity : budgetMs * budgetShare;
  const rounds = trials ?? roundsLeast;
  const least = (specs: readonly CellSpec[]): number => expectedMs(specs, rounds, times);
  const whole = (specs: readonly CellSpec[], core: readonly CellSpec[]): number =>
    trials === undefined && core.length < specs.length
      ? least(specs) + expectedMs(core, coreRounds - rounds, times)
      : least(specs);
  for (const expected of [whole, least]) {
    const choice = gap.choose((specs, core) => expected(specs, core) <= available, seed);
    if (choice !== null) return { ...choice, rounds, expectedMs: expected(choice.specs, choice.core) };
  }
  const one = gap.choose((specs) => specs.length <= gap.cellsMin, seed);
  const leastMs = least(one?.specs ?? gap.specs) / budgetShare;
  throw badOption(
    'budget',
    `${Math.round((budgetMs ?? 0) / 1000)}s`,
    `at least ${Math.ceil(leastMs / 1000)}s: both ends and one order of their differences are ${gap.cellsMin} cells in ${rounds} rounds`,
  );
}
