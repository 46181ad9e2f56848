import { z } from 'zod';
import { countSchema } from './primitives.ts';

/**
 * What went wrong, other than a business rule.
 * - `timeout`: no reply by the end of the trial's drain, or a reply later than the operation's time limit.
 * - `connection-lost`: the connection ended while the operation was outstanding.
 * - `connection-refused`: there was no connection; nothing was sent.
 * - `serialization-failure`, `deadlock`: the database aborted the transaction, also after retries.
 * - `overloaded`: the server refused it for lack of capacity.
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

/** An operation that was neither applied nor declined; `inDoubt` when it may have been applied nevertheless. */
export const faultSchema = z.strictObject({
  kind: z.literal('fault'),
  code: faultCodeSchema,
  inDoubt: z.boolean(),
  message: z.string(),
  retries: countSchema,
});
export type Fault = Readonly<z.infer<typeof faultSchema>>;

/** A fault without doubt: the operation was not applied. */
export function refused(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: false, message, retries };
}

/** A fault after which the client cannot know whether the operation was applied. */
export function inDoubt(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: true, message, retries };
}
