import { z } from 'zod';
import type { Isolation } from './facts.ts';
import { countSchema } from './primitives.ts';

/**
 * What can go wrong between transactions, by its name in the literature (Adya 2000; Berenson et al. 1995), the worst
 * first. `stale-read`: found what an operation had replaced that was acknowledged before; `real-time`: serializable, in
 * no order that real time permits.
 */
export const anomalySchema = z.enum([
  'G0',
  'G1a',
  'G1b',
  'G1c',
  'lost-update',
  'G-single',
  'G2-item',
  'stale-read',
  'real-time',
]);
export type Anomaly = z.infer<typeof anomalySchema>;

/** How often each was seen in a trial whose operations return versions, and the first few in words. */
export const isolationFindingSchema = z.strictObject({
  /** Applied operations that returned the versions that they found. */
  operations: countSchema,
  anomalies: z.record(anomalySchema, countSchema),
  examples: z.array(z.string()).readonly(),
  /** Whether the workload is there to observe isolation: it then provokes conflicts, which are no faults of a system. */
  provoked: z.literal(true).exactOptional(),
});
export type IsolationFinding = z.infer<typeof isolationFindingSchema>;

/** Each anomaly, seen zero times. */
export const noAnomalies: IsolationFinding['anomalies'] = {
  G0: 0,
  G1a: 0,
  G1b: 0,
  G1c: 0,
  'lost-update': 0,
  'G-single': 0,
  'G2-item': 0,
  'stale-read': 0,
  'real-time': 0,
};

const dirty = ['G0', 'G1a', 'G1b', 'G1c'] as const;

/**
 * What a level forbids. A read that misses what was acknowledged before it was sent breaks rule F1 at any level; none
 * promises an order that real time permits, which strict serializability alone is.
 */
export const forbiddenAt: Readonly<Record<Isolation, readonly Anomaly[]>> = {
  'read-uncommitted': ['G0', 'stale-read'],
  'read-committed': [...dirty, 'stale-read'],
  snapshot: [...dirty, 'lost-update', 'G-single', 'stale-read'],
  'repeatable-read': [...dirty, 'lost-update', 'G-single', 'G2-item', 'stale-read'],
  serializable: [...dirty, 'lost-update', 'G-single', 'G2-item', 'stale-read'],
};
