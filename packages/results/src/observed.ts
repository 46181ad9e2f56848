import { z } from 'zod';
import { countSchema } from '@fair-bench/contract';

/** What was seen of a trial from outside of its sessions while the load ran; null is: not observed. */
export const observedSchema = z.strictObject({
  /**
   * Operations beside the load whose rows another connection read as soon as they were acknowledged. Null where the workload
   * has none that could be sent without being seen by others.
   */
  canaries: z
    .strictObject({
      planned: countSchema,
      /** Acknowledged as applied, and their rows read. */
      read: countSchema,
      /** Of those, how many were there at the first reading. */
      visible: countSchema,
      /** Acknowledged as applied: they are among the database's commits. */
      applied: countSchema,
      /** Declined, though the rows of a canary permit it always. */
      declined: countSchema.default(0),
      /** From the acknowledgement to the beginning of the reading, milliseconds; a shorter delay cannot be seen. */
      readAfterMsMax: z.number().nullable(),
      /** The first few that were not there, or could not be read, in words. */
      problems: z.array(z.string()),
    })
    .nullable(),
  /**
   * Requests that a session of the trial's depth has on the wire before a reply to the first, as a proxy counts them between
   * load client and target before the load.
   */
  outstandingOnWire: z.int().min(1).nullable(),
  /** Transactions that write, of the trial, that the system had ended when the window began, and how long the reading took. */
  committedAtWindowBegin: z.strictObject({ count: countSchema, readMs: z.number().min(0) }).nullable(),
  /** The same just after the window's end. */
  committedAtWindowEnd: countSchema.nullable(),
  /** Readings of the settings that durability rests on, from before the load to after it. */
  settings: z
    .strictObject({
      readings: z.int().min(1),
      first: z.record(z.string(), z.string()),
      /** Changes between two readings, in words. */
      changes: z.array(z.string()),
    })
    .nullable(),
});
export type Observed = z.infer<typeof observedSchema>;
