import { badOption } from '@fair-bench/contract';
import type { RunOptions } from '../options/run-options.ts';
import { roundsLeast } from './order-rounds.ts';

/** The budget of `--quick`: what is left of 90 s for the report and a last trial that takes longer. */
const quickBudgetMs = 80_000;
/** Fewer rounds have no interval. */
const roundsOfInterval = 2;
/** Of a requested budget; the rest is a reserve, because expected times are inexact. */
const reserveShare = 0.95;

/** How much of a plan is measured. */
export interface PlanSize {
  readonly rounds: number;
  /** Combinations of the workload's parameters, sessions and depth; of a claim, its statements. */
  readonly combinations: number;
  /** Of each system, in a search. */
  readonly candidates: number;
}

export interface FittedSize extends PlanSize {
  /** What was reduced, in one sentence; empty if nothing was. */
  readonly notes: readonly string[];
}

type TimeOptions = Pick<RunOptions, 'budget' | 'quick' | 'trials'>;

/** The time that the user gave the run, milliseconds; undefined where neither option limits it. */
export function requestedBudgetMs({
  budget,
  quick,
}: Pick<RunOptions, 'budget' | 'quick'>): number | undefined {
  return budget ?? (quick ? quickBudgetMs : undefined);
}

/**
 * As much of a plan as the requested time allows. What does not fit is reduced in this order: rounds, as long as there
 * is an interval; combinations, from the last; candidates, from the last; then down to one round. An InputError names
 * the least time if not even that fits.
 */
export function fitPlan(
  options: TimeOptions,
  whole: Omit<PlanSize, 'rounds'>,
  needMs: (size: PlanSize) => number,
  combinationsAre = 'combinations',
): FittedSize {
  const most = { ...whole, rounds: options.trials ?? roundsLeast };
  const budgetMs = requestedBudgetMs(options);
  if (budgetMs === undefined || options.trials !== undefined) return { ...most, notes: [] };
  const fits = (size: PlanSize): boolean => needMs(size) <= budgetMs * reserveShare;
  let size: PlanSize = most;
  for (const [key, least] of [
    ['rounds', roundsOfInterval],
    ['combinations', 1],
    ['candidates', 1],
    ['rounds', 1],
  ] as const) {
    while (!fits(size) && size[key] > least) size = { ...size, [key]: size[key] - 1 };
  }
  if (!fits(size)) throw tooSmall(options, budgetMs, Math.ceil(needMs(size) / reserveShare / 1000));
  return { ...size, notes: notesOf(most, size, { ...options, combinationsAre }) };
}

function tooSmall({ budget }: TimeOptions, budgetMs: number, leastSeconds: number): Error {
  const [option, got] =
    budget === undefined ? ['quick', 'a run'] : ['budget', `${Math.round(budgetMs / 1000)}s`];
  return badOption(
    option,
    got,
    `at least ${leastSeconds}s for one round of every target (--budget ${leastSeconds}s); name fewer targets by --systems`,
  );
}

function notesOf(
  most: PlanSize,
  size: PlanSize,
  { budget, combinationsAre }: TimeOptions & { readonly combinationsAre: string },
): string[] {
  const words = [
    size.rounds < most.rounds ? `${size.rounds} instead of ${most.rounds} rounds` : null,
    size.combinations < most.combinations
      ? `${size.combinations} of ${most.combinations} ${combinationsAre}`
      : null,
    size.candidates < most.candidates
      ? `at most ${size.candidates} of ${most.candidates} routes and clients of a system`
      : null,
  ].filter((one) => one !== null);
  if (words.length === 0) return [];
  return [`To fit ${budget === undefined ? '--quick' : '--budget'}: ${words.join(', ')} at first.`];
}
