import { z } from 'zod';
import { countSchema, intervalSchema } from '@fair-bench/contract';

/** What one factor does to the headline ratio, whatever the order in which factors are changed. */
export const factorEffectSchema = z.strictObject({
  /** The factor's name: `client`, `hop`, `data access`, `depth`, `sessions`, `durability`, … */
  name: z.string(),
  /** What it is at the two ends. */
  from: z.string(),
  to: z.string(),
  /** Shapley value on the logarithm, as a multiplier: the product over all factors and the residual is the ratio. */
  multiplier: z.number().positive(),
  /** Paired over the rounds of its cells, holding together with those of the other factors; null with fewer than two rounds. */
  ci95: intervalSchema.nullable(),
  /** Smallest and largest effect over all feasible orders: apart where factors interact. */
  min: z.number().positive(),
  max: z.number().positive(),
});
export type FactorEffect = z.infer<typeof factorEffectSchema>;

/** A gap between two targets, taken apart. */
export const explanationSchema = z.strictObject({
  /** The two ends, as `TARGET[key=value,…]`. */
  from: z.string(),
  to: z.string(),
  /** Throughput of `to` ÷ throughput of `from`: geometric mean of the per-round ratios. */
  ratio: z.number().positive(),
  ci95: intervalSchema.nullable(),
  /** Rounds that both ends were measured in; runs of before do not say. */
  rounds: countSchema.optional(),
  factors: z.array(factorEffectSchema),
  /** What no switch explains: the systems' own difference, named architecture. 1 within one system. */
  residual: z.number().positive(),
  /** Of its own, paired over its own rounds. */
  residualCi95: intervalSchema.nullable(),
  residualRounds: countSchema.optional(),
  /** Factors that can only be changed together with the system here, so that the residual holds them too. */
  residualIncludes: z.array(z.string()).min(1).optional(),
  cellsMeasured: countSchema,
  cellsSkipped: countSchema,
  /** What was left out, and why: beyond the budget, or impossible. */
  skipped: z.array(z.strictObject({ cell: z.string(), reason: z.string() })),
  /** Orders of the factors that the effects were averaged over, and whether those were all. */
  orders: z.strictObject({ count: countSchema, exact: z.boolean() }),
});
export type Explanation = z.infer<typeof explanationSchema>;
