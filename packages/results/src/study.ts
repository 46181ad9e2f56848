import { z } from 'zod';
import { claimSchema } from './claim.ts';

const skippedSchema = z.strictObject({ cell: z.string(), reason: z.string() });

/**
 * What is measured to take a gap apart, and what is not: `explain.json`, beside the plan. Change i is bit i of
 * a mask; mask 0 is the end that is explained from.
 */
export const explainDesignSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  changes: z
    .array(
      z.strictObject({
        name: z.string(),
        from: z.string(),
        to: z.string(),
        /** The step from one system to the other: its effect is the residual. */
        isArchitecture: z.boolean(),
      }),
    )
    .min(1),
  /** What the step between the systems changes besides, in words. */
  withArchitecture: z.array(z.string()).default([]),
  cells: z.array(z.strictObject({ mask: z.int().min(0), cellId: z.string() })).min(2),
  /** Masks that are available but not measured. */
  leftOut: z.int().min(0),
  skipped: z.array(skippedSchema),
});
export type ExplainDesign = z.infer<typeof explainDesignSchema>;

/** What a run measures of a claim: `claim.json`, beside the plan. */
export const claimDesignSchema = z.strictObject({
  claim: claimSchema,
  /** Figure → the cell that stands for it, or null, and what is to be said of it. */
  figures: z.array(
    z.strictObject({ id: z.string(), cellId: z.string().nullable(), notes: z.array(z.string()) }),
  ),
});
export type ClaimDesign = z.infer<typeof claimDesignSchema>;

/** What a run is to say beside its cells: a gap taken apart, a claim judged. Each part is an artifact. */
export interface Study {
  /** `explain.json` */
  readonly explain?: ExplainDesign;
  /** `claim.json` */
  readonly claim?: ClaimDesign;
}
