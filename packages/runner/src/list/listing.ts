import { z } from 'zod';
import { targetNameSchema } from '@fair-bench/contract';

/** One row of `npm run list -- --json`. */
export const listingSchema = z.strictObject({
  target: targetNameSchema,
  system: z.string(),
  route: z.string(),
  available: z.boolean(),
  reason: z.string().optional(),
  remedy: z.string().optional(),
  version: z.string().optional(),
});
export type Listing = z.infer<typeof listingSchema>;
