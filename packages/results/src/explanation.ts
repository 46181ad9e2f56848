import { z } from 'zod';
import { countSchema, intervalSchema } from '@fair-bench/contract';

const change = {
  /** The factor's name: `client`, `hop`, `data access`, `depth`, `sessions`, `durability`, …; joined by ` + ` where several are merged. */
  name: z.string(),
  /** Its values at the two ends. */
  from: z.string(),
  to: z.string(),
};

/** A ratio of throughputs; its interval is null with fewer than two rounds. */
const ratio = { multiplier: z.number().positive(), ci95: intervalSchema.nullable() };

/** The mean effect of one factor over every place where it alone can change. */
const factorEffectSchema = z.strictObject({
  ...change,
  /** A ratio of throughputs, the geometric mean over the places. The intervals of all factors hold jointly with 95 %. */
  ...ratio,
  /** Its smallest and largest effect in a place; they differ where it interacts. */
  min: z.number().positive(),
  max: z.number().positive(),
  /** The share of the variation between all possible combinations that goes without this factor (η², Type II), 0 to 1. */
  share: z.number().min(0).max(1),
});
export type FactorEffect = z.infer<typeof factorEffectSchema>;

/** One change of the path, measured directly: both combinations were run, and nothing else differs. */
const pathStepSchema = z.strictObject({
  ...change,
  ...ratio,
  isArchitecture: z.boolean(),
  /** Rounds that have both combinations. */
  rounds: countSchema,
});
export type PathStep = z.infer<typeof pathStepSchema>;

/** Two factors whose effects depend on each other. */
const interactionSchema = z.strictObject({
  /** The effect of `factor` before and after `by` changes; `name` of a factor, or `architecture`. */
  factor: z.string(),
  by: z.strictObject(change),
  before: z.number().positive(),
  after: z.number().positive(),
  /** after ÷ before. */
  ratio: z.number().positive(),
  ci95: intervalSchema.nullable(),
  /** Corrected over all interactions of the explanation (Holm). */
  pValueAdjusted: z.number().min(0).max(1),
  share: z.number().min(0).max(1),
});
export type Interaction = z.infer<typeof interactionSchema>;

/** The step between the systems at one corner of what both can have equal, measured directly. */
const cornerSchema = z.strictObject({
  /** The shared settings there: `depth 1, client node`; empty where the systems share no setting that changes. */
  at: z.string(),
  ...ratio,
  rounds: countSchema,
});
export type Corner = z.infer<typeof cornerSchema>;

const architectureSchema = z.strictObject({
  corners: z.array(cornerSchema).min(1),
  /** The mean over the corners. */
  ...ratio,
  share: z.number().min(0).max(1),
  /** Whether two corners differ significantly (Holm): then there is no one architecture, and the mean is no answer. */
  differs: z.boolean(),
  /** What else changes with the system: merged settings, the kind of code inside the database, the client library. */
  includes: z.array(z.string()),
  /** Settings that only one of the systems has, by system: what stands for them in the other is part of the step. */
  ofOneSystem: z.array(z.string()),
});
export type Architecture = z.infer<typeof architectureSchema>;

/** A gap between two targets, taken apart by a designed experiment. */
export const explanationSchema = z.strictObject({
  /** The two ends, as `TARGET[key=value,…]`. */
  from: z.string(),
  to: z.string(),
  /** Throughput of `to` ÷ throughput of `from`: geometric mean of the per-round ratios. */
  ratio: z.number().positive(),
  ci95: intervalSchema.nullable(),
  /** Rounds in which both ends were measured. */
  rounds: countSchema,
  /** One change at a time from end to end; the multipliers multiply to the ratio. Empty where a void cell breaks the path. */
  path: z.array(pathStepSchema),
  /** Null within one system, and where no step between the systems has a number. */
  architecture: architectureSchema.nullable(),
  /** The factors but the architecture; empty where the measured cells do not tell them apart. */
  factors: z.array(factorEffectSchema),
  /** The significant ones, the largest first. */
  interactions: z.array(interactionSchema),
  /** How the factors were found. */
  model: z.strictObject({
    /** Combinations that a target here can measure, and those with a number. */
    cellsPossible: countSchema,
    cellsMeasured: countSchema,
    /** Main effects and interactions that were estimated, and those of them that the measured cells cannot tell apart. */
    terms: countSchema,
    termsMissing: countSchema,
    /** Of main effects and two-factor interactions, against the rounds; null where nothing is left to test it by. */
    lackOfFit: z
      .strictObject({
        ratio: z.number().min(0),
        degrees: z.tuple([z.number().positive(), z.number().positive()]),
        pValue: z.number().min(0).max(1),
      })
      .nullable(),
    /** Settings that count as one factor, with the reason. */
    merged: z.array(z.strictObject({ names: z.array(z.string()).min(2), reason: z.string() })),
  }),
  /** What was left out, with the reason: beyond the budget, or impossible. */
  skipped: z.array(z.strictObject({ cell: z.string(), reason: z.string() })),
});
export type Explanation = z.infer<typeof explanationSchema>;
