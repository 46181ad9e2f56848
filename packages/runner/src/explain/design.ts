import { z } from 'zod';

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
  cells: z.array(z.strictObject({ mask: z.int().min(0), cellId: z.string() })).min(2),
  /** Masks that can be had but are not measured. */
  leftOut: z.int().min(0),
  skipped: z.array(skippedSchema),
});
export type ExplainDesign = z.infer<typeof explainDesignSchema>;
