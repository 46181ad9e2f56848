import { z } from 'zod';

/**
 * The supervisor's orders to the reaper, each a line of JSON on its standard input. When that input ends before the
 * reaper is dismissed, the supervisor's process is dead, and the reaper cleans up after it.
 */
export const reaperCommandSchema = z.discriminatedUnion('type', [
  /** A process that leads its own group. `startTime` is that of `startTimeOf`, so that a reused pid is not killed. */
  z.strictObject({
    type: z.literal('watch'),
    pid: z.int().min(2),
    startTime: z.string(),
    stopSignal: z.enum(['SIGTERM', 'SIGINT', 'SIGQUIT']),
  }),
  z.strictObject({ type: z.literal('unwatch'), pid: z.int() }),
  z.strictObject({ type: z.literal('keep-clean'), directory: z.string().startsWith('/') }),
  z.strictObject({ type: z.literal('forget'), directory: z.string() }),
]);
export type ReaperCommand = z.infer<typeof reaperCommandSchema>;

/** The time for a clean end before the reaper kills process groups. */
export const reaperGraceMs = 3_000;
