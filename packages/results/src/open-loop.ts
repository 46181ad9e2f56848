import { z } from 'zod';

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
