import { z } from 'zod';
import { intervalSchema } from '@fair-bench/contract';

const measuredSchema = z
  .strictObject({ ratio: z.number().positive(), ci95: intervalSchema.nullable() })
  .nullable();
const claimVerdictSchema = z.enum(['supported', 'contradicted', 'undecided', 'not measured']);
/** For an undecided ratio: the number of rounds that would probably decide it; null beyond 10,000. */
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
  /** The reason for the verdict, with the conditions, or what was missing. */
  because: z.string(),
  toDecide: toDecideSchema.optional(),
  /** Every ratio that the claim states; the first is the headline above. */
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
      /** Its place in the claim's source; absent in older runs. */
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
