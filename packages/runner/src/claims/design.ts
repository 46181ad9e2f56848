import { z } from 'zod';
import { claimSchema } from './claim.ts';

/** What a run measures of a claim: `claim.json`, beside the plan. */
export const claimDesignSchema = z.strictObject({
  claim: claimSchema,
  /** Figure → the cell that stands for it, or null, and what is to be said of it. */
  figures: z.array(
    z.strictObject({ id: z.string(), cellId: z.string().nullable(), notes: z.array(z.string()) }),
  ),
});
export type ClaimDesign = z.infer<typeof claimDesignSchema>;
