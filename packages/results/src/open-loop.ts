import { z } from 'zod';

/** An offered rate was sustained when at least this share of it was done. */
export const sustainedShareMin = 0.99;

/** What an open loop was offered and what it did, over the windows of a cell's trials, operations per second. */
export const openLoopSummarySchema = z.strictObject({
  /** Fell due. */
  offeredPerSecond: z.number().min(0),
  /** Were started. */
  startedPerSecond: z.number().min(0),
  /** Were applied or declined. */
  achievedPerSecond: z.number().min(0),
  /**
   * Whether every trial achieved 99 % of what was offered. Where one did not, operations still wait when its window
   * ends, and the latencies of the cell are lower bounds.
   */
  held: z.boolean(),
});
export type OpenLoopSummary = z.infer<typeof openLoopSummarySchema>;
