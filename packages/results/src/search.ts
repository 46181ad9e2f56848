import { z } from 'zod';
import { requestedDurabilitySchema, targetNameSchema } from '@fair-bench/contract';
import { combination } from './combination.ts';
import { clientNameSchema } from './run-plan.ts';

/** The bounded search for the point at which a target is fastest: every point that was tried, with its result. */
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
        /** How many there were; one in runs of before. */
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
  /** The point that the run then measured; null when none of those tried passed. */
  chosen: z
    .strictObject({
      sessions: z.int().min(1),
      depth: z.int().min(1),
      poolSize: z.int().min(1).optional(),
    })
    .nullable(),
  /** In what the chosen point lies at an end of the grid, so that the best may lie beyond it; not in runs of before. */
  edges: z.array(z.enum(['sessions', 'depth', 'pool'])).default([]),
});
export type Search = z.infer<typeof searchSchema>;
