import { z } from 'zod';
import { countSchema } from './primitives.ts';

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

/** An operation that was neither applied nor declined; `inDoubt` when it may have been applied all the same. */
export const faultSchema = z.strictObject({
  kind: z.literal('fault'),
  code: faultCodeSchema,
  inDoubt: z.boolean(),
  message: z.string(),
  retries: countSchema,
});
export type Fault = Readonly<z.infer<typeof faultSchema>>;

/** A fault that leaves no doubt: the operation was not applied. */
export function refused(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: false, message, retries };
}

/** A fault after which nobody at the client knows whether the operation was applied. */
export function inDoubt(code: FaultCode, message: string, retries = 0): Fault {
  return { kind: 'fault', code, inDoubt: true, message, retries };
}
