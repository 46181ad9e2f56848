import { z } from 'zod';

const identity = {
  /** The name of the check, as `node` or `target postgres-drizzle`. */
  name: z.string(),
  /** What was found, in words. */
  found: z.string(),
};

const doctorCheckSchema = z.discriminatedUnion('status', [
  z.strictObject({ ...identity, status: z.literal('ok') }),
  /** A run works, but measures less, or less precisely. */
  z.strictObject({ ...identity, status: z.literal('lacking'), remedy: z.string() }),
  /** The default run needs it. */
  z.strictObject({ ...identity, status: z.literal('needed'), remedy: z.string() }),
]);
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** `npm run doctor -- --json`. */
export const doctorReportSchema = z.strictObject({
  /** Whether the default run works here. */
  ready: z.boolean(),
  machine: z.array(doctorCheckSchema),
  tools: z.array(doctorCheckSchema),
  targets: z.array(doctorCheckSchema),
  /** The questions that a reader asks of a benchmark, for a default run on this machine. */
  fairness: z.array(doctorCheckSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
