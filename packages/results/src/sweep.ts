import { z } from 'zod';
import { estimateSchema } from './cell-summary.ts';
import { loadFields } from './settings/load-fields.ts';
import { intervalSchema, targetNameSchema } from '@fair-bench/contract';

/** The Universal Scalability Law of a curve over processors: X(N) = γN ÷ (1 + α(N − 1) + βN(N − 1)). */
const scalabilityFitSchema = z.strictObject({
  /** Throughput of one processor. */
  gamma: estimateSchema,
  /** Contention. */
  alpha: estimateSchema,
  /** Coherency. */
  beta: estimateSchema,
  /** By the law alone, beyond what was measured. */
  extrapolated: z.array(z.strictObject({ x: z.number(), tps: estimateSchema })),
});
export type ScalabilityFit = z.infer<typeof scalabilityFitSchema>;

/** One curve: a target's throughput along the swept parameter. */
const sweepCurveSchema = z.strictObject({
  target: targetNameSchema,
  client: loadFields.client,
  /** In ascending order of `x`, without cells that have no number. */
  points: z.array(
    z.strictObject({ x: z.number(), cellId: z.string(), tps: z.number(), ci95: intervalSchema.nullable() }),
  ),
  /** Where more load brings hardly more throughput; null if the curve has no such point. */
  knee: z.strictObject({ x: z.number(), tps: z.number() }).nullable(),
  /** Where throughput falls clearly below its best; null if it does not. */
  collapse: z.strictObject({ x: z.number(), tps: z.number() }).nullable(),
  /** For a sweep of the offered rate: the highest sustained one; null if none was. */
  rateHeld: z.number().nullable().optional(),
  /** For a sweep of the servers' processors: the law; null with fewer than four measured points or two rounds. */
  scalability: scalabilityFitSchema.nullable().optional(),
});
export type SweepCurve = z.infer<typeof sweepCurveSchema>;

/** Where the ranking of two targets flips. */
const crossoverSchema = z.strictObject({
  targets: z.tuple([targetNameSchema, targetNameSchema]),
  /** Between these two measured points; `x` by interpolation. */
  between: intervalSchema,
  x: z.number(),
  /** Share of the swept range in which the first of the two is faster. */
  firstFasterShare: z.number().min(0).max(1),
});
export type Crossover = z.infer<typeof crossoverSchema>;

/** A parameter with several values, everything else fixed. */
export const sweepSchema = z.strictObject({
  /** `sessions`, `depth`, `rate`, `cores`, or a parameter of the workload. */
  parameter: z.string(),
  /** `log` if each value is the previous one times a constant; shares and interpolation use this scale. */
  scale: z.enum(['linear', 'log']),
  /** What was fixed: parameter → value, in words. */
  fixed: z.record(z.string(), z.string()),
  curves: z.array(sweepCurveSchema),
  crossovers: z.array(crossoverSchema),
});
export type Sweep = z.infer<typeof sweepSchema>;
