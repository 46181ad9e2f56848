import { z } from 'zod';
import { targetNameSchema } from './primitives.ts';

/** What `npm run bench:aa` found: the smallest difference that this machine can tell. */
export const noiseFloorSchema = z.strictObject({
  target: targetNameSchema,
  /** A ratio further from 1 than this, up or down, is more than noise: 1.04 says 4 %. */
  ratio: z.number().min(1),
  repetitions: z.int().min(1),
  /** Repetitions in which a target was called different from itself. */
  falseAlarms: z.int().min(0),
  measuredAt: z.iso.datetime(),
});
export type NoiseFloor = z.infer<typeof noiseFloorSchema>;
