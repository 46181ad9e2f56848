import { z } from 'zod';
import { countSchema, intervalSchema } from '@fair-bench/contract';

/** The effect of one factor on the headline ratio, averaged over the orders of change. */
const factorEffectSchema = z.strictObject({
  /** The factor's name: `client`, `hop`, `data access`, `depth`, `sessions`, `durability`, … */
  name: z.string(),
  /** Its values at the two ends. */
  from: z.string(),
  to: z.string(),
  /** Shapley value on the logarithm, as a multiplier: the product over all factors and the residual is the ratio. */
  multiplier: z.number().positive(),
  /**
   * Paired over the rounds of its cells; holds jointly with those of the other factors. Null with fewer than two
   * rounds.
   */
  ci95: intervalSchema.nullable(),
  /** Smallest and largest effect over all feasible orders; they differ where factors interact. */
  min: z.number().positive(),
  max: z.number().positive(),
});
export type FactorEffect = z.infer<typeof factorEffectSchema>;

/** A gap between two targets, split into factors. */
export const explanationSchema = z.strictObject({
  /** The two ends, as `TARGET[key=value,…]`. */
  from: z.string(),
  to: z.string(),
  /** Throughput of `to` ÷ throughput of `from`: geometric mean of the per-round ratios. */
  ratio: z.number().positive(),
  ci95: intervalSchema.nullable(),
  /** Rounds in which both ends were measured. */
  rounds: countSchema,
  factors: z.array(factorEffectSchema),
  /** The step from one system to the other, which no setting splits further here. 1 within one system. */
  residual: z.number().positive(),
  /** Its own interval, paired over its own rounds. */
  residualCi95: intervalSchema.nullable(),
  residualRounds: countSchema.optional(),
  /** Its smallest and largest effect over all feasible orders; absent within one system. */
  residualMin: z.number().positive().optional(),
  residualMax: z.number().positive().optional(),
  /** Differences that can only change together with the system here: the residual includes them. */
  residualIncludes: z.array(z.string()).min(1).optional(),
  /** Settings that only one of the systems has, by system: what stands for them in the other is in the residual. */
  residualOfOneSystem: z.array(z.string()).min(1).optional(),
  cellsMeasured: countSchema,
  cellsSkipped: countSchema,
  /** What was left out, with the reason: beyond the budget, or impossible. */
  skipped: z.array(z.strictObject({ cell: z.string(), reason: z.string() })),
  /** Orders of the factors that the effects were averaged over, and whether those were all. */
  orders: z.strictObject({ count: countSchema, exact: z.boolean() }),
});
export type Explanation = z.infer<typeof explanationSchema>;
