import { z } from 'zod';
import { countSchema } from './primitives.ts';

/**
 * Why a business rule said no. Typed, and the same for every system: a suite in which insufficient funds
 * is an error in one system and a success in the next compares nothing.
 */
export const declineReasons = [
  'insufficient-funds',
  'missing-account',
  'same-account',
  'non-positive-amount',
] as const;
export const declineReasonSchema = z.enum(declineReasons);
export type DeclineReason = z.infer<typeof declineReasonSchema>;

/**
 * What went wrong where no business rule decided.
 *
 * - `timeout`: no reply by the end of the trial's drain, or a reply later than the operation's time limit.
 * - `connection-lost`: the connection ended while the operation was outstanding.
 * - `connection-refused`: there was no connection to send it on; nothing was sent.
 * - `serialization-failure`, `deadlock`: the database gave the transaction up, retries included.
 * - `overloaded`: the server refused it for lack of room.
 * - `invalid-request`: the server refused its form (a wrong type, an amount beyond 64 bits).
 * - `protocol-error`: the reply could not be understood.
 * - `server-error`: the server failed and said so.
 * - `internal`: the connector threw.
 */
export const faultCodes = [
  'timeout',
  'connection-lost',
  'connection-refused',
  'serialization-failure',
  'deadlock',
  'overloaded',
  'invalid-request',
  'protocol-error',
  'server-error',
  'internal',
] as const;
export const faultCodeSchema = z.enum(faultCodes);
export type FaultCode = z.infer<typeof faultCodeSchema>;

/**
 * What became of one operation. `retries` counts the attempts that the server (or the connector) made
 * beyond the first. A fault is `inDoubt` when the operation may have been applied all the same.
 */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('applied'), retries: countSchema }),
  z.strictObject({ kind: z.literal('declined'), reason: declineReasonSchema, retries: countSchema }),
  z.strictObject({
    kind: z.literal('fault'),
    code: faultCodeSchema,
    inDoubt: z.boolean(),
    message: z.string(),
    retries: countSchema,
  }),
]);
export type Outcome = Readonly<z.infer<typeof outcomeSchema>>;
export type Applied = Extract<Outcome, { kind: 'applied' }>;
export type Declined = Extract<Outcome, { kind: 'declined' }>;
export type Fault = Extract<Outcome, { kind: 'fault' }>;

/** The outcome of nearly every operation, shared so that the timed loop does not allocate it. */
export const applied: Applied = Object.freeze({ kind: 'applied', retries: 0 });

const declinedByReason: Readonly<Record<DeclineReason, Declined>> = {
  'insufficient-funds': Object.freeze({ kind: 'declined', reason: 'insufficient-funds', retries: 0 }),
  'missing-account': Object.freeze({ kind: 'declined', reason: 'missing-account', retries: 0 }),
  'same-account': Object.freeze({ kind: 'declined', reason: 'same-account', retries: 0 }),
  'non-positive-amount': Object.freeze({ kind: 'declined', reason: 'non-positive-amount', retries: 0 }),
};

/** A declined outcome; without retries it is a shared object. */
export function declined(reason: DeclineReason, retries = 0): Declined {
  return retries === 0 ? declinedByReason[reason] : { kind: 'declined', reason, retries };
}

/** A fault that leaves no doubt: the operation was not applied. */
export function refused(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: false, message, retries };
}

/** A fault after which nobody at the client knows whether the operation was applied. */
export function inDoubt(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: true, message, retries };
}
