import { z } from 'zod';

const shareSchema = z.number().min(0).max(1);

/** The machine during a trial's window. Shares are of the time of all processors. */
export const hostConditionsSchema = z.strictObject({
  cores: z.int().min(1),
  /** In use by anybody. */
  busyShare: shareSchema,
  /** Time that the hypervisor took while something here wanted to run. */
  stealShare: shareSchema,
  /** Share of the window in which at least one task waited for a processor; null where the kernel does not report it. */
  waitingShare: shareSchema.nullable(),
  /**
   * Tasks that ran or waited for a processor at the window's beginning and end; null where the kernel does not report
   * it.
   */
  runnable: z.tuple([z.int().min(0), z.int().min(0)]).nullable(),
  /**
   * Used since the warm-up began by processes outside of the run (not the runner, a load client or a server). Null where the servers'
   * processes are unknown.
   */
  foreignShare: shareSchema.nullable(),
  /** The foreign process that used most; null without one. */
  foreignMost: z.strictObject({ command: z.string(), share: shareSchema }).nullable(),
  /** Of the processors, the mean at the window's beginning and end; absent where the kernel does not say. */
  frequencyMhz: z.number().positive().optional(),
});
export type HostConditions = z.infer<typeof hostConditionsSchema>;

/** Above these limits a trial is measured again: something else used the machine. */
export const hostBounds = { stealShareMax: 0.02, foreignShareMax: 0.05 } as const;

/** The disturbance relative to its limit; above 1 a limit is exceeded. */
export function disturbanceOf({ stealShare, foreignShare }: HostConditions): number {
  return Math.max(stealShare / hostBounds.stealShareMax, (foreignShare ?? 0) / hostBounds.foreignShareMax);
}

/** The host over all windows of a cell; see `hostConditionsSchema`. */
export const hostSummarySchema = z.strictObject({
  busyShareMean: shareSchema,
  stealShareMax: shareSchema,
  waitingShareMean: shareSchema.nullable(),
  foreignShareMax: shareSchema.nullable(),
});
export type HostSummary = z.infer<typeof hostSummarySchema>;
