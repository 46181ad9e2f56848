import { z } from 'zod';

const identity = {
  /** Names the check, as `node` or `target postgres-drizzle`. */
  name: z.string(),
  /** What was found, in words. */
  found: z.string(),
};

/** One thing that was looked at. */
export const doctorCheckSchema = z.discriminatedUnion('status', [
  z.strictObject({ ...identity, status: z.literal('ok') }),
  /** A run goes on, and measures less, or less well. */
  z.strictObject({ ...identity, status: z.literal('lacking'), remedy: z.string() }),
  /** The default run cannot do without it. */
  z.strictObject({ ...identity, status: z.literal('needed'), remedy: z.string() }),
]);
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** `npm run doctor -- --json`. */
export const doctorReportSchema = z.strictObject({
  /** Whether the default run can be done here. */
  ready: z.boolean(),
  machine: z.array(doctorCheckSchema),
  tools: z.array(doctorCheckSchema),
  targets: z.array(doctorCheckSchema),
  /** A reader's questions about a benchmark, for a default run on this machine. */
  fairness: z.array(doctorCheckSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
