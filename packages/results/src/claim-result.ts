import { z } from 'zod';
import { intervalSchema } from '@fair-bench/contract';
import { statementKindSchema } from './claim.ts';

const measuredSchema = z
  .strictObject({
    ratio: z.number().positive(),
    ci95: intervalSchema.nullable(),
    /** Standard error of the ratio's logarithm, from which means over runs are made; null without an interval. */
    logError: z.number().min(0).nullable(),
  })
  .nullable();
/** Exceeded: an *at least* or *at most* that holds, and by more than the margin. */
const claimVerdictSchema = z.enum([
  'supported',
  'exceeded',
  'contradicted',
  'undecided',
  'not measured',
  /** A figure needs more processors or memory than the machine of the run has, whatever was measured. */
  'not measurable here',
]);
export type ClaimVerdict = z.infer<typeof claimVerdictSchema>;
/** For an undecided ratio: the number of rounds that would probably decide it; null beyond 10,000. */
const toDecideSchema = z.strictObject({ rounds: z.int().min(2), seconds: z.number().min(0) }).nullable();

/** A ratio that the claim states, in one reading of what its source leaves open. */
const statementResultSchema = z.strictObject({
  statement: z.string(),
  kind: statementKindSchema,
  /** The reason for the kind: the source's wording. */
  wording: z.string(),
  /** Settings that the source leaves open, as measured here; null where it leaves none open. */
  reading: z.string().nullable(),
  claimedRatio: z.number().positive(),
  /** Null when one of its ends could not be measured here. */
  measured: measuredSchema,
  verdict: claimVerdictSchema,
  /** The reason for the verdict, or what was missing. */
  because: z.string(),
  toDecide: toDecideSchema.optional(),
});
export type StatementResult = z.infer<typeof statementResultSchema>;

/** A published claim, measured again in one run. */
export const claimResultSchema = z.strictObject({
  /** The claim's name: its file in `claims/`. */
  name: z.string(),
  source: z.string(),
  date: z.string(),
  /** The machine of its figures, as far as the source says. */
  host: z.string(),
  /** The machine of this run. */
  machine: z.string(),
  /** The headline, in its first reading that was measured. */
  ...statementResultSchema.shape,
  /** Every ratio that the claim states, in each reading; those of the headline come first. */
  statements: z.array(statementResultSchema).min(1),
  /** How this run differs from the claim, in phrases. */
  differs: z.array(z.string()),
  /** Rules of FAIR-BENCHMARK.md that the claim's own settings break. */
  breaks: z.array(z.strictObject({ rule: z.string().regex(/^F\d+$/), why: z.string() })),
  /** Published figures beside ours. */
  figures: z.array(
    z.strictObject({
      label: z.string(),
      reading: z.string().nullable(),
      claimedTps: z.number(),
      /** Its place in the claim's source. */
      where: z.string(),
      cellId: z.string().nullable(),
      measuredTps: z.number().nullable(),
      ci95: intervalSchema.nullable(),
      /** Why there is no measured figure, or which of the claim's settings are unavailable. */
      note: z.string(),
    }),
  ),
});
export type ClaimResult = z.infer<typeof claimResultSchema>;
