import { z } from 'zod';
import { countSchema } from '@fair-bench/contract';
import { trialPlanSchema } from './trial-plan.ts';
import { clientResultSchema } from './trial-result.ts';

/**
 * The load-client protocol: lines of JSON. The runner writes commands to the client's standard input, the plan first;
 * the client writes events to its standard output, `result` or `failed` last. Standard error is for people. The end
 * of standard input means that the runner is gone: the client ends at once. See packages/load-client/PROTOCOL.md.
 */
export const clientCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('plan'), plan: trialPlanSchema }),
  /** End the window now, drain, and report with `ending: "stopped"`. */
  z.strictObject({ type: z.literal('stop') }),
  /** Send the first operations at this time of the machine's monotonic clock; at once when it is past. */
  z.strictObject({ type: z.literal('go'), atUs: z.number().min(0) }),
  /** The same for the window: the warm-up ends there, and the window lasts so long. */
  z.strictObject({ type: z.literal('window'), atUs: z.number().min(0), windowMs: z.int().min(1) }),
]);
export type ClientCommand = z.infer<typeof clientCommandSchema>;

const phaseSchema = z.enum(['warmup', 'window', 'drain']);
export type Phase = z.infer<typeof phaseSchema>;

export const clientEventSchema = z.discriminatedUnion('type', [
  /** All sessions are connected; the client waits for `go`. */
  z.strictObject({
    type: z.literal('ready'),
    sessions: countSchema,
    /** How long opening the engine took that is in the load client, on the slowest thread. */
    openMs: z.number().min(0).optional(),
  }),
  z.strictObject({ type: z.literal('phase'), phase: phaseSchema }),
  /** About once a second: totals so far in this phase. */
  z.strictObject({
    type: z.literal('progress'),
    phase: phaseSchema,
    elapsedMs: z.number().min(0),
    applied: countSchema,
    declined: countSchema,
    faults: countSchema,
  }),
  /** Of the warm-up: everything since the first operation. */
  z.strictObject({
    type: z.literal('sample'),
    elapsedMs: z.number().min(0),
    applied: countSchema,
    /** Of any outcome. */
    completed: countSchema,
    /** The sum over the completed, from sending to reply. */
    latencyMs: z.number().min(0),
  }),
  /** A canary has an outcome; `atMs` is its time on the system's monotonic clock. */
  z.strictObject({
    type: z.literal('canary'),
    number: countSchema,
    outcome: z.enum(['applied', 'declined', 'fault']),
    atMs: z.number(),
  }),
  /**
   * A watched operation was acknowledged as applied; `atMs` is its time on the system's monotonic clock. None of the
   * `sessions`, the first and the last of its thread, had drawn an operation beyond `drawnMost` then.
   */
  z.strictObject({
    type: z.literal('acknowledged'),
    session: countSchema,
    sequence: countSchema,
    atMs: z.number(),
    sessions: z.tuple([countSchema, countSchema]),
    drawnMost: countSchema,
  }),
  z.strictObject({ type: z.literal('result'), result: clientResultSchema }),
  /** There is no result. Exit code 2 for a plan that does not parse, 1 otherwise. */
  z.strictObject({ type: z.literal('failed'), reason: z.string() }),
]);
export type ClientEvent = z.infer<typeof clientEventSchema>;
export type Sample = Omit<Extract<ClientEvent, { type: 'sample' }>, 'type'>;
