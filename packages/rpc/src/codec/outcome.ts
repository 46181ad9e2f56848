import { z } from 'zod';
import {
  applied,
  countSchema,
  faultSchema,
  inDoubt,
  type FaultCode,
  type OperationOutcome,
} from '@fair-bench/contract';
import type { OperationCodec } from './codec.ts';
import { encodeReply } from './reply.ts';

/** The reply of an operation that returns nothing, byte for byte, so that a client recognises it without parsing. */
export const appliedText = '{"kind":"applied","retries":0}';
const appliedBytes = Buffer.from(appliedText);

/** The HTTP status of each fault. Applied and declined are 200. */
const statusByFault: Readonly<Record<FaultCode, number>> = {
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

export function statusOf(outcome: OperationOutcome): number {
  return outcome.kind === 'fault' ? statusByFault[outcome.code] : 200;
}

/** An outcome as JSON. */
export function encodeOutcome(outcome: OperationOutcome): string {
  if (outcome.kind !== 'applied') return JSON.stringify(outcome);
  if (outcome.reply !== null) {
    return `{"kind":"applied","reply":${encodeReply(outcome.reply)},"retries":${outcome.retries}}`;
  }
  return outcome.retries === 0 ? appliedText : `{"kind":"applied","retries":${outcome.retries}}`;
}

/** An outcome on the wire; the operation defines `reply`. */
export const outcomeJsonSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('applied'), reply: z.json().optional(), retries: countSchema }),
  z.strictObject({ kind: z.literal('declined'), reason: z.string(), retries: countSchema }),
  faultSchema,
]);

/**
 * Reads the reply to an operation. The bytes of nearly every reply are recognised directly; others are parsed and
 * checked. An invalid reply leaves the operation in doubt.
 */
export function decodeOutcome(codec: OperationCodec, status: number, body: Buffer): OperationOutcome {
  if (
    codec.returned === null &&
    status === 200 &&
    body.length === appliedBytes.length &&
    body.equals(appliedBytes)
  ) {
    return applied;
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return inDoubt('protocol-error', `status ${status} with a body that is not JSON: ${excerpt(body)}`);
  }
  const outcome = outcomeOf(codec, value);
  const isBroken = outcome.kind === 'fault' && outcome.code === 'protocol-error';
  if (!isBroken && (outcome.kind === 'fault') !== status >= 400) {
    return inDoubt('protocol-error', `status ${status} does not go with the outcome ${excerpt(body)}`);
  }
  return outcome;
}

/** An outcome of the operation from its JSON. */
export function outcomeOf(codec: OperationCodec, value: unknown): OperationOutcome {
  const parsed = outcomeJsonSchema.safeParse(value);
  const given = (): string => excerpt(Buffer.from(JSON.stringify(value) ?? 'nothing'));
  if (!parsed.success) return inDoubt('protocol-error', `a body that is not an outcome: ${given()}`);
  const outcome = parsed.data;
  if (outcome.kind === 'declined') {
    if (codec.operation.reasons.includes(outcome.reason)) return outcome;
    return inDoubt('protocol-error', `${codec.operation.name} has no such reason: ${given()}`);
  }
  if (outcome.kind === 'fault') return outcome;
  const reply = codec.readReply(outcome.reply);
  if (reply !== undefined) return { kind: 'applied', reply, retries: outcome.retries };
  return inDoubt('protocol-error', `${codec.operation.name} returns something else: ${given()}`);
}

function excerpt(body: Buffer): string {
  return JSON.stringify(body.toString('utf8', 0, 200));
}
