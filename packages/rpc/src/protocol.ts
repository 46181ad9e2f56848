import { z } from 'zod';
import {
  applied,
  countSchema,
  declined,
  declineReasons,
  outcomeSchema,
  transferJsonSchema,
  type FaultCode,
  type Outcome,
} from '@fair-bench/contract';

/** The RPC protocol's constants and codecs, shared by both halves. PROTOCOL.md says it in words. */
export const transferPath = '/transfer';
export const healthPath = '/health';

/** A transfer is below 120 bytes; what is longer than this is refused unread. */
export const bodyBytesMax = 16_384;

export const jsonContentType = 'application/json';

/** The HTTP status that goes with each fault. Applied and declined are 200. */
export const statusByFault: Readonly<Record<FaultCode, number>> = {
  'invalid-request': 400,
  'serialization-failure': 409,
  deadlock: 409,
  'protocol-error': 500,
  'server-error': 500,
  internal: 500,
  'connection-lost': 502,
  'connection-refused': 502,
  overloaded: 503,
  timeout: 504,
};

export function statusOf(outcome: Outcome): number {
  return outcome.kind === 'fault' ? statusByFault[outcome.code] : 200;
}

const commonOutcomes = [applied, ...declineReasons.map((reason) => declined(reason))];
const textByOutcome = new Map<Outcome, string>(
  commonOutcomes.map((outcome) => [outcome, JSON.stringify(outcome)]),
);

/** An outcome as JSON. The outcomes without retries are the contract's shared objects: looked up, not serialized. */
export function encodeOutcome(outcome: Outcome): string {
  return textByOutcome.get(outcome) ?? JSON.stringify(outcome);
}

/** The reply to nearly every transfer, byte for byte, so that a client may recognise it without parsing. */
export const appliedText = encodeOutcome(applied);

/** The request body's JSON schema, from the contract's: one source for every implementation. */
export const transferBodySchema = z.toJSONSchema(transferJsonSchema, { target: 'draft-7' });

/** What a server process counted since it started; sums over processes on the control port. */
export const serverCountersSchema = z.strictObject({
  applied: countSchema,
  declined: countSchema,
  faults: countSchema,
  /** Attempts beyond the first. */
  retries: countSchema,
});
export type ServerCounters = z.infer<typeof serverCountersSchema>;

/** Transfers received and not yet answered: now, and the most since the last reset; summed over processes. */
export const serverInFlightSchema = z.strictObject({ now: countSchema, peak: countSchema });
export type ServerInFlight = z.infer<typeof serverInFlightSchema>;

/** What the server and the sessions that do its work say of themselves. */
export const serverFactsSchema = z.strictObject({
  server: z.string(),
  runtime: z.string(),
  processes: z.int().min(1),
  poolSizePerProcess: countSchema,
  retriesMax: countSchema,
  /** The database's own settings, read in the sessions that do the timed work. */
  settings: z.record(z.string(), z.string()),
});
export type ServerFacts = z.infer<typeof serverFactsSchema>;

/** The line on standard output that says that every process of the server listens. */
export const listeningLineSchema = z.strictObject({
  listening: z.strictObject({ port: z.int().min(1), controlPort: z.int().min(1) }),
});

export { outcomeSchema };
