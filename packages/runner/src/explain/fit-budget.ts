import { badOption } from '@fair-bench/contract';
import type { CellSpec } from '../plan/assemble-plan.ts';
import { roundsLeast } from '../plan/order-rounds.ts';
import { expectedMs, leastMs, type TrialTimes } from '../plan/timing.ts';
import type { CellChoice, Gap } from './plan-cells.ts';

/** The ends and the architecture must keep this many rounds before orders are added. */
const coreRounds = 12;
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
 * rounds and every other cell five. A budget too small for that with one order gives five rounds to all, as expected
 * or, where latencies turn out shorter, at least; or fewer. If not even one fits, an InputError states the minimum.
 */
export function fitBudget(gap: Gap, options: BudgetOptions): FittedCells {
  const { budgetMs, trials, times, seed, limitedBy } = options;
  const available = budgetMs === undefined ? Infinity : budgetMs * budgetShare;
  const most = trials ?? roundsLeast;
  const all = (specs: readonly CellSpec[]): number => expectedMs(specs, most, times);
  const least = (rounds: number) => (specs: readonly CellSpec[]) => leastMs(specs, rounds, times);
  const whole = (specs: readonly CellSpec[], core: readonly CellSpec[]): number =>
    trials === undefined && core.length < specs.length
      ? all(specs) + expectedMs(core, coreRounds - most, times)
      : all(specs);
  const fewer = trials === undefined ? Array.from({ length: most }, (_, index) => most - index) : [most];
  const tries = [
    { rounds: most, expected: whole },
    { rounds: most, expected: all },
    ...fewer.map((rounds) => ({ rounds, expected: least(rounds) })),
  ];
  for (const { rounds, expected } of tries) {
    const choice = gap.choose((specs, core) => expected(specs, core) <= available, seed);
    if (choice !== null) return { ...choice, rounds, expectedMs: expected(choice.specs, choice.core) };
  }
  const one = gap.choose((specs) => specs.length <= gap.cellsMin, seed);
  const rounds = fewer.at(-1) ?? most;
  const neededMs = least(rounds)(one?.specs ?? gap.specs) / budgetShare;
  throw badOption(
    limitedBy,
    limitedBy === 'quick' ? 'a gap' : `${Math.round((budgetMs ?? 0) / 1000)}s`,
    `at least ${Math.ceil(neededMs / 1000)}s: both ends and one order of their differences are ${gap.cellsMin} cells in ${plural(rounds)}`,
  );
}

function plural(rounds: number): string {
  return rounds === 1 ? '1 round' : `${rounds} rounds`;
}
