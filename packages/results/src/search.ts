import { z } from 'zod';
import { countSchema, requestedDurabilitySchema, targetNameSchema } from '@fair-bench/contract';
import { combination } from './combination.ts';
import { clientNameSchema } from './run-plan.ts';

/** The bounded search for a target's fastest point: every point that was tried, with its result. */
export const searchSchema = z.strictObject({
  target: targetNameSchema,
  client: clientNameSchema,
  ...combination,
  durability: requestedDurabilitySchema,
  points: z.array(
    z.discriminatedUnion('status', [
      z.strictObject({
        status: z.literal('ok'),
        sessions: z.int().min(1),
        depth: z.int().min(1),
        poolSize: z.int().min(1).optional(),
        /** The mean over its trials. */
        tps: z.number(),
        /** Number of trials; one in older runs. */
        trials: z.int().min(1).optional(),
      }),
      z.strictObject({
        status: z.literal('void'),
        sessions: z.int().min(1),
        depth: z.int().min(1),
        poolSize: z.int().min(1).optional(),
        reason: z.string(),
      }),
    ]),
  ),
  /** The chosen point, which the run then measured; null when none passed. */
  chosen: z
    .strictObject({
      sessions: z.int().min(1),
      depth: z.int().min(1),
      poolSize: z.int().min(1).optional(),
    })
    .nullable(),
  /** Parameters whose chosen value is at an end of the grid: the best may lie beyond. Absent in older runs. */
  edges: z.array(z.enum(['sessions', 'depth', 'pool'])).default([]),
  /** Void trials that were measured again; absent if none was. */
  voidsMeasuredAgain: countSchema.optional(),
});
export type Search = z.infer<typeof searchSchema>;
