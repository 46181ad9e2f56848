import { z } from 'zod';

const shareSchema = z.number().min(0).max(1);

/** What the machine did in a trial's window, from its beginning to its end. Shares are of the time of all processors. */
export const hostConditionsSchema = z.strictObject({
  cores: z.int().min(1),
  /** In use by anybody. */
  busyShare: shareSchema,
  /** Taken by the hypervisor while something here wanted to run. */
  stealShare: shareSchema,
  /** Share of the window in which at least one task waited for a processor; null where the kernel does not say. */
  waitingShare: shareSchema.nullable(),
  /** Tasks that ran or waited for a processor at the window's beginning and end; null where the kernel does not say. */
  runnable: z.tuple([z.int().min(0), z.int().min(0)]).nullable(),
  /**
   * Used since the warm-up began by processes that are not the run's: neither the runner's, nor the load client's, nor a server's. Null where the
   * servers' processes are not known, so that they cannot be distinguished.
   */
  foreignShare: shareSchema.nullable(),
  /** The one of them that used most; null where there was none. */
  foreignMost: z.strictObject({ command: z.string(), share: shareSchema }).nullable(),
  /** Of the processors, the mean at the window's beginning and end; absent where the kernel does not say. */
  frequencyMhz: z.number().positive().optional(),
});
export type HostConditions = z.infer<typeof hostConditionsSchema>;

/** Beyond these, a window is another machine's as well: the trial is measured again. */
export const hostBounds = { stealShareMax: 0.02, foreignShareMax: 0.05 } as const;

/** By how many times its bounds the host was disturbed; above 1 is beyond one of them. */
export function disturbanceOf({ stealShare, foreignShare }: HostConditions): number {
  return Math.max(stealShare / hostBounds.stealShareMax, (foreignShare ?? 0) / hostBounds.foreignShareMax);
}

/** How many trials of a run are for each that is measured again, and how many may be in any run. */
export const again = { trialsForEach: 4, leastOfRun: 2 } as const;

/** A trial that the host disturbed, and that was measured again: kept, and in no number. */
export const setAsideSchema = z.strictObject({
  /** Its record, relative to the run's folder. */
  file: z.string(),
  host: hostConditionsSchema,
});
export type SetAside = z.infer<typeof setAsideSchema>;

/** The host over all windows of a cell; see `hostConditionsSchema`. */
export const hostSummarySchema = z.strictObject({
  busyShareMean: shareSchema,
  stealShareMax: shareSchema,
  waitingShareMean: shareSchema.nullable(),
  foreignShareMax: shareSchema.nullable(),
});
export type HostSummary = z.infer<typeof hostSummarySchema>;
