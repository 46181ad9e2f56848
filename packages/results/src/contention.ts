import { z } from 'zod';

/** Operations of several sessions at once on few rows, before the rounds, at amounts at which many are declined. */
export const contentionSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('passed'),
    sessions: z.int().min(1),
    applied: z.int().min(0),
    declined: z.int().min(0),
    /** Changed nothing: deadlocks, conflicts. */
    faults: z.int().min(0),
  }),
  z.strictObject({ status: z.literal('not-observed'), reason: z.string() }),
]);
export type Contention = z.infer<typeof contentionSchema>;

export function describeContention(contention: Contention): string {
  if (contention.status === 'not-observed')
    return `rules under contention not observed: ${contention.reason}`;
  const { sessions, applied, declined, faults } = contention;
  const faulty = faults === 0 ? '' : `, ${faults} faults`;
  return `before the rounds ${sessions} sessions on few rows: ${applied} applied, all permitted, ${declined} declined${faulty}`;
}
