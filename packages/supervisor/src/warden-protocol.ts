import { z } from 'zod';

/**
 * What the supervisor tells the warden, one line of JSON each on its standard input. When that input ends
 * with something still watched, the supervisor's process is dead, and the warden cleans up after it.
 */
export const wardenCommandSchema = z.discriminatedUnion('type', [
  /** A process that leads its own group. `startTime` is that of `startTimeOf`, so that a reused pid is spared. */
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
export type WardenCommand = z.infer<typeof wardenCommandSchema>;

/** How long the warden lets processes end in good order before it kills their groups. */
export const wardenGraceMs = 3_000;
