import { z } from 'zod';
import { countSchema, jsonObjectSchema, nameSchema } from '@fair-bench/contract';
import { batchMax } from './settings/bounds.ts';

/** The longest pause of a slot after faults in a row, milliseconds; the first is 10, and each next one is twice as long. */
export const faultPauseMsMax = 500;

/** The length of a slot of applied operations in a result, milliseconds. */
export const appliedSlotMs = 100;

/** Rises when a load client written for the previous version would misread a plan or write another result. */
export const protocolVersion = 10;

/**
 * Closed loop: every session keeps `depth` requests outstanding. Open loop: operations start at a
 * constant rate, `ratePerSecond` over all sessions, and are timed from their intended start.
 */
export const loopSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('closed') }),
  z.strictObject({ kind: z.literal('open'), ratePerSecond: z.number().positive() }),
]);
export type Loop = z.infer<typeof loopSchema>;

/** Everything that a load client needs; it reads no environment and no other file. */
export const trialPlanSchema = z.strictObject({
  protocol: z.literal(protocolVersion),
  trialId: z.string().min(1),
  /** How this load client reaches the target: the Node client imports `module`, the native one speaks `protocol`. */
  client: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('node'), module: z.string().min(1) }),
    z.strictObject({ kind: z.literal('native'), protocol: nameSchema }),
  ]),
  endpoint: z.strictObject({ url: z.string(), options: jsonObjectSchema }),
  /** A workload whose numbers are all known; the load client reads it as `packages/workload/src/resolved.ts` says. */
  workload: jsonObjectSchema,
  sessions: z.int().min(1).max(100_000),
  /**
   * Null: all sessions belong to this client. Otherwise several clients share the trial, and the sessions of this one
   * start at `sessionFirst`.
   */
  share: z.strictObject({ sessionFirst: countSchema, sessionCount: z.int().min(1) }).nullable(),
  /** Requests outstanding in a session. */
  depth: z.int().min(1).max(65_536),
  /** Operations in a request: above 1 they are sent, committed and acknowledged together. */
  batch: z.int().min(1).max(batchMax),
  threads: z.int().min(1).max(256),
  loop: loopSchema,
  timing: z.strictObject({
    /** The minimal warm-up and window; the mean latency lengthens them, up to the two maxima. */
    warmupMs: countSchema,
    warmupMsMax: countSchema,
    windowMs: z.int().min(1),
    windowMsMax: z.int().min(1),
    /** How long to wait for outstanding operations at the window's end. */
    drainMs: z.int().min(1),
    connectMs: z.int().min(1),
    /** A later reply is a `timeout` fault; its slot stays taken until the reply arrives. */
    operationMs: z.int().min(1),
  }),
  /**
   * Uncounted operations, spread over the window and sent one after the other in the timed sessions: each is reported
   * when it is acknowledged, so that another connection can check at once whether it was done. Each is the operation's
   * number and its arguments, as the golden vectors write them.
   */
  canaries: z.array(z.tuple([countSchema], z.json())),
  /**
   * Operations of the streams whose acknowledgement is reported at once, about one in `everyMs` of the window: each
   * session's number, then the numbers of its operations in its stream, ascending. Nothing of them is sent otherwise
   * than without. Absent where none is reported.
   */
  watched: z
    .strictObject({
      everyMs: z.number().positive(),
      operations: z.array(z.tuple([countSchema], countSchema)),
    })
    .optional(),
  /**
   * Seeded rows of a table that no operation writes, which another connection changes meanwhile: each row's number, and
   * that of the row whose seeded value its `column` gets. A reply may have either value. Absent where none is changed.
   */
  changed: z
    .strictObject({
      table: countSchema,
      column: countSchema,
      rows: z.array(z.tuple([countSchema, countSchema])),
    })
    .optional(),
  /** The outcome log's path; null records none (only to price the bookkeeping; such a trial has no number). */
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

/** How often the warm-up is sampled: ten times in its least length. */
export function sampleMsOf({ warmupMs }: Pick<TrialPlan['timing'], 'warmupMs'>): number {
  return Math.min(1000, Math.max(10, warmupMs / 10));
}
