import { z } from 'zod';
import { countSchema, jsonObjectSchema, nameSchema } from '@fair-bench/contract';

/** Rises when a load client written for the version before would misread a plan or write another result. */
export const protocolVersion = 4;

/**
 * Closed loop: every session keeps `depth` operations outstanding. Open loop: operations start at a
 * constant rate, `ratePerSecond` over all sessions, and are timed from their intended start.
 */
export const loopSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('closed') }),
  z.strictObject({ kind: z.literal('open'), ratePerSecond: z.number().positive() }),
]);
export type Loop = z.infer<typeof loopSchema>;

/** All that a load client needs to know; it reads no environment and no other file. */
export const trialPlanSchema = z.strictObject({
  protocol: z.literal(protocolVersion),
  trialId: z.string().min(1),
  /** How this load client reaches the target: the Node client imports `module`, the native one speaks `protocol`. */
  client: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('node'), module: z.string().min(1) }),
    z.strictObject({ kind: z.literal('native'), protocol: nameSchema }),
  ]),
  endpoint: z.strictObject({ url: z.string(), options: jsonObjectSchema }),
  workload: z.strictObject({
    /** A description as JSON; the load client checks it as `packages/workload` specifies. */
    description: jsonObjectSchema,
    /** Every parameter of the description, and `seed`. */
    parameters: jsonObjectSchema,
  }),
  sessions: z.int().min(1).max(100_000),
  /**
   * Null: all sessions are this client's, and it says itself when the trial and its window begin. Otherwise those from
   * `sessionFirst`, of a trial that several clients carry, and `go` and `window` order it.
   */
  share: z.strictObject({ sessionFirst: countSchema, sessionCount: z.int().min(1) }).nullable(),
  depth: z.int().min(1).max(65_536),
  threads: z.int().min(1).max(256),
  loop: loopSchema,
  timing: z.strictObject({
    /** The least warm-up; it is prolonged up to `warmupMsMax` while throughput is not steady. */
    warmupMs: countSchema,
    warmupMsMax: countSchema,
    windowMs: z.int().min(1),
    /** How long to wait for what is outstanding at the window's end. */
    drainMs: z.int().min(1),
    connectMs: z.int().min(1),
    /** A reply later than this is a `timeout` fault; its slot stays taken until the reply is there. */
    operationMs: z.int().min(1),
  }),
  /**
   * Operations that are in no number, sent one after the other in the timed sessions: each is reported when it is
   * acknowledged, so that another connection can look at once whether it was done. Null sends none.
   */
  canaries: z
    .strictObject({
      everyMs: z.int().min(1),
      /** The operation's number and its arguments, as the golden vectors write them. */
      operations: z.array(z.tuple([countSchema], z.json())),
    })
    .nullable(),
  /** Where the outcome log goes; null records none (only to price the bookkeeping; such a trial has no number). */
  logPath: z.string().nullable(),
});
export type TrialPlan = z.infer<typeof trialPlanSchema>;

/** The sessions of a plan that its client carries. */
export function shareOf({
  sessions,
  share,
}: Pick<TrialPlan, 'sessions' | 'share'>): NonNullable<TrialPlan['share']> {
  return share ?? { sessionFirst: 0, sessionCount: sessions };
}
