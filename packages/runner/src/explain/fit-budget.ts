import { badOption } from '@fair-bench/contract';
import type { CellSpec } from '../plan/assemble-plan.ts';
import { roundsLeast } from '../plan/order-rounds.ts';
import { expectedMs, leastMs, type TrialTimes } from '../plan/timing.ts';
import type { CellChoice, Gap, Level } from './plan-cells.ts';

/**
 * Rounds of every cell, and of the ends and the steps between the systems, from most to fewest. Effects share the error of many
 * cells, so three rounds serve them; a step alone has that of its own rounds.
 */
const roundsTried = [
  { every: roundsLeast, core: 8 },
  { every: 3, core: 8 },
  { every: 3, core: 5 },
  { every: 3, core: 3 },
];
/** A reserve, because expected times are inexact. */
const budgetShare = 0.9;

interface BudgetOptions {
  /** Milliseconds for everything from now on; undefined without a limit. */
  readonly budgetMs: number | undefined;
  /** The option that the limit comes from. */
  readonly limitedBy: 'budget' | 'quick';
  /** Rounds, if the user fixes them. */
  readonly trials: number | undefined;
  readonly times: TrialTimes;
}

export interface FittedCells extends CellChoice {
  /** Of every cell. */
  readonly rounds: number;
  /** Including the rounds that only the core has. */
  readonly expectedMs: number;
}

/**
 * The cells that a budget allows, in this order: all combinations; a fraction that tells main effects and two-factor
 * interactions apart; the same with two factors counted as one, and so on. Each in five rounds, else in three, with more of the
 * ends and the steps between the systems. Last, with all merged that can be, the ends and one path in as few rounds as fit. If
 * not even one round fits, an InputError states the minimum.
 */
export function fitBudget(gap: Gap, options: BudgetOptions): FittedCells {
  const { budgetMs, trials, times, limitedBy } = options;
  const available = budgetMs === undefined ? Infinity : budgetMs * budgetShare;
  const rounds = trials === undefined ? roundsTried : [{ every: trials, core: trials }];
  let last: Level | null = null;
  for (const level of gap) {
    last = level;
    for (const choice of [level.all, level.fraction]) {
      const fitted = choice === null ? null : inRounds(choice, rounds, available, options);
      if (fitted !== null) return fitted;
    }
  }
  if (last === null) throw new Error('explain: a gap without a level');
  const { least } = last;
  const fewer = trials === undefined ? countdown(roundsLeast) : [trials];
  for (const count of fewer) {
    const neededMs = leastMs(least.specs, count, times);
    if (neededMs <= available) return { ...least, rounds: count, expectedMs: neededMs };
  }
  const count = fewer.at(-1) ?? 1;
  const neededMs = leastMs(least.specs, count, times) / budgetShare;
  throw badOption(
    limitedBy,
    limitedBy === 'quick' ? 'a gap' : `${Math.round((budgetMs ?? 0) / 1000)}s`,
    `at least ${Math.ceil(neededMs / 1000)}s: both ends, a path between them and the step between the systems are ${least.specs.length} cells in ${plural(count)}`,
  );
}

function inRounds(
  choice: CellChoice,
  rounds: typeof roundsTried,
  availableMs: number,
  { times }: BudgetOptions,
): FittedCells | null {
  for (const { every, core } of rounds) {
    const timeMs = expectedOf(choice.specs, every, times) + expectedOf(choice.core, core - every, times);
    if (timeMs <= availableMs) return { ...choice, rounds: every, expectedMs: timeMs };
  }
  return null;
}

function expectedOf(specs: readonly CellSpec[], rounds: number, times: TrialTimes): number {
  return rounds === 0 ? 0 : expectedMs(specs, rounds, times);
}

function countdown(from: number): readonly number[] {
  return Array.from({ length: from }, (_, index) => from - index);
}

function plural(rounds: number): string {
  return rounds === 1 ? '1 round' : `${rounds} rounds`;
}
