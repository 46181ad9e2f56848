import { z } from 'zod';
import { intervalSchema } from '@fair-bench/contract';

const measuredSchema = z
  .strictObject({ ratio: z.number().positive(), ci95: intervalSchema.nullable() })
  .nullable();
const claimVerdictSchema = z.enum(['supported', 'contradicted', 'undecided', 'not measured']);
/** Of an undecided ratio: what would probably decide it, with the rounds that were measured; null beyond 10,000 rounds. */
const toDecideSchema = z.strictObject({ rounds: z.int().min(2), seconds: z.number().min(0) }).nullable();

/** A published claim, measured again. */
export const claimResultSchema = z.strictObject({
  /** The claim's name: its file in `claims/`. */
  name: z.string(),
  statement: z.string(),
  source: z.string(),
  date: z.string(),
  claimedRatio: z.number().positive(),
  /** Null when one of its ends could not be measured here. */
  measured: measuredSchema,
  verdict: claimVerdictSchema,
  /** The verdict in a sentence: under what it holds, or what was lacking. */
  because: z.string(),
  toDecide: toDecideSchema.optional(),
  /** Every ratio that the claim states; the first is the headline, which stands above. */
  statements: z
    .array(
      z.strictObject({
        statement: z.string(),
        claimedRatio: z.number().positive(),
        measured: measuredSchema,
        verdict: claimVerdictSchema,
        because: z.string(),
        toDecide: toDecideSchema.optional(),
      }),
    )
    .optional(),
  /** Rules of FAIR-BENCHMARK.md that the claim's own settings break. */
  breaks: z.array(z.strictObject({ rule: z.string().regex(/^F\d+$/), why: z.string() })),
  /** Published figures beside ours. */
  figures: z.array(
    z.strictObject({
      label: z.string(),
      claimedTps: z.number(),
      /** Where in the claim's source it stands; runs of before do not say. */
      where: z.string().optional(),
      cellId: z.string().nullable(),
      measuredTps: z.number().nullable(),
      ci95: intervalSchema.nullable(),
      /** Why there is no measured figure, or which of the claim's settings are unavailable. */
      note: z.string(),
    }),
  ),
});
export type ClaimResult = z.infer<typeof claimResultSchema>;
