import { z } from 'zod';
import { claimSchema } from './claim.ts';

const skippedSchema = z.strictObject({ cell: z.string(), reason: z.string() });

/**
 * The cells that explain a gap, and those left out: `explain.json`, beside the plan. Change i is bit i of a mask;
 * mask 0 is the first end.
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
        /** The step from one system to the other. */
        isArchitecture: z.boolean(),
      }),
    )
    .min(1),
  /** What else the step between the systems changes, in words. */
  withArchitecture: z.array(z.string()),
  /** Settings that only one of the two systems has at that step: `system: setting, setting`. */
  ofOneSystem: z.array(z.string()),
  /** Changes that count as one, by their numbers: each change is in one group. */
  groups: z.array(z.array(z.int().min(0)).min(1)).min(1),
  /** Why changes count as one, for each group of several. */
  merged: z.array(z.strictObject({ names: z.array(z.string()).min(2), reason: z.string() })),
  /** Masks that a target here can measure, ascending. */
  possible: z.array(z.int().min(0)).min(2),
  cells: z.array(z.strictObject({ mask: z.int().min(0), cellId: z.string() })).min(2),
  skipped: z.array(skippedSchema),
});
export type ExplainDesign = z.infer<typeof explainDesignSchema>;

/** What a run measures for a claim: `claim.json`, beside the plan. */
export const claimDesignSchema = z.strictObject({
  claim: claimSchema,
  /** For each figure its cell in each reading, or null, with notes. */
  figures: z.array(
    z.strictObject({
      id: z.string(),
      /** Null where the source leaves nothing open. */
      reading: z.string().nullable(),
      cellId: z.string().nullable(),
      notes: z.array(z.string()),
    }),
  ),
});
export type ClaimDesign = z.infer<typeof claimDesignSchema>;

/** A figure in a reading; one whose source leaves nothing open is the same in all. */
export function plannedFigure<Figure extends { readonly id: string; readonly reading: string | null }>(
  figures: readonly Figure[],
  id: string,
  reading: string | null,
): Figure | undefined {
  return figures.find((one) => one.id === id && (one.reading === null || one.reading === reading));
}

/** What a run answers beside its cells: a gap explained, a claim judged. Each part is an artifact. */
export interface Question {
  /** `explain.json` */
  readonly explain?: ExplainDesign;
  /** `claim.json` */
  readonly claim?: ClaimDesign;
}
