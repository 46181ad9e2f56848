import { factsSchema, fairSettingSchema, targetNameSchema } from '@fair-bench/contract';
import { z } from 'zod';
import { contentionSchema } from './contention.ts';
import { observedIsolationSchema } from './isolation.ts';

/** The state of a planned target before the rounds: one entry of `results/<run>/targets.json`. */
export const targetOutcomeSchema = z.strictObject({
  target: targetNameSchema,
  /** Its connector's written fair profile. */
  fairProfile: z.array(fairSettingSchema).readonly(),
  /** As read when it was ready; null if it never was. */
  facts: factsSchema.nullable(),
  /** Why it was unavailable here, and the remedy. */
  unavailable: z.strictObject({ reason: z.string(), remedy: z.string() }).nullable(),
  /** Why it no longer answered after it had been ready: its cells are void. */
  lost: z.strictObject({ reason: z.string(), remedy: z.string() }).optional(),
  /** Whether its operations obey their rules when many meet; absent where it was not ready. */
  contention: contentionSchema.optional(),
  /** What an earlier run saw of this route's isolation at this version and level; absent where none did. */
  isolation: observedIsolationSchema.exactOptional(),
});
export type TargetOutcome = z.infer<typeof targetOutcomeSchema>;

/** A cell whose load client was unavailable: one entry of `results/<run>/unavailable-cells.json`. */
export const unavailableCellSchema = z.strictObject({
  cellId: z.string(),
  reason: z.string(),
  remedy: z.string(),
});
export type UnavailableCell = z.infer<typeof unavailableCellSchema>;
