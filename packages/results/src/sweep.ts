import { z } from 'zod';
import { clientNameSchema } from './run-plan.ts';
import { intervalSchema, targetNameSchema } from '@fair-bench/contract';

/** One curve: a target's throughput along the swept parameter. */
export const sweepCurveSchema = z.strictObject({
  target: targetNameSchema,
  client: clientNameSchema,
  /** In ascending order of `x`; points of cells without a number are left out. */
  points: z.array(
    z.strictObject({ x: z.number(), cellId: z.string(), tps: z.number(), ci95: intervalSchema.nullable() }),
  ),
  /** Where more brings hardly more; null when the curve has none within what was swept. */
  knee: z.strictObject({ x: z.number(), tps: z.number() }).nullable(),
  /** Where throughput falls clearly below its best; null when it does not. */
  collapse: z.strictObject({ x: z.number(), tps: z.number() }).nullable(),
  /** Of a sweep of the offered rate: the highest that was sustained; null when none was. */
  rateHeld: z.number().nullable().optional(),
});
export type SweepCurve = z.infer<typeof sweepCurveSchema>;

/** Where the ranking of two targets flips. */
export const crossoverSchema = z.strictObject({
  targets: z.tuple([targetNameSchema, targetNameSchema]),
  /** Between these two measured points; `x` by interpolation. */
  between: intervalSchema,
  x: z.number(),
  /** Share of the swept range in which the first of the two is the faster one. */
  firstFasterShare: z.number().min(0).max(1),
});
export type Crossover = z.infer<typeof crossoverSchema>;

/** A parameter with several values, everything else fixed. */
export const sweepSchema = z.strictObject({
  /** `sessions`, `depth`, `rate`, or a parameter of the workload. */
  parameter: z.string(),
  /** `log` where each value is the one before times a constant: shares and interpolation are on this scale. */
  scale: z.enum(['linear', 'log']),
  /** What was fixed: parameter → value, in words. */
  fixed: z.record(z.string(), z.string()),
  curves: z.array(sweepCurveSchema),
  crossovers: z.array(crossoverSchema),
});
export type Sweep = z.infer<typeof sweepSchema>;
