import { z } from 'zod';
import type { Cell, RunPlan } from './run-plan.ts';
import type { Loop } from './trial-plan.ts';

/** An offered rate is sustained when at least this share of it was done. */
export const sustainedShareMin = 0.99;

/** The offered and the achieved rate of an open loop, over the windows of a cell's trials, in operations per second. */
export const openLoopSummarySchema = z.strictObject({
  /** Fell due. */
  offeredPerSecond: z.number().min(0),
  /** Were started. */
  startedPerSecond: z.number().min(0),
  /** Were applied or declined. */
  achievedPerSecond: z.number().min(0),
  /**
   * Whether every trial achieved 99 % of the offered rate. If one did not, operations still wait when its window
   * ends, and the cell's latencies are lower bounds.
   */
  held: z.boolean(),
});
export type OpenLoopSummary = z.infer<typeof openLoopSummarySchema>;

/** The pace of a cell's load: its own rate if it has one, otherwise the plan's. */
export function loopOf({ loop }: Pick<RunPlan, 'loop'>, { ratePerSecond }: Cell): Loop {
  return ratePerSecond === undefined ? loop : { kind: 'open', ratePerSecond };
}

/** The loops of some cells in words: `closed`, or `open, 1000, 2000 operations per second`. */
export function describeLoops(plan: Pick<RunPlan, 'loop'>, cells: readonly Cell[]): string {
  const loops = cells.length === 0 ? [plan.loop] : cells.map((cell) => loopOf(plan, cell));
  const rates = loops.flatMap((loop) => (loop.kind === 'open' ? [loop.ratePerSecond] : []));
  const each = [...new Set(rates)].toSorted((a, b) => a - b);
  return [
    ...(loops.length > rates.length ? ['closed'] : []),
    ...(each.length > 0 ? [`open, ${each.join(', ')} operations per second`] : []),
  ].join('; ');
}
