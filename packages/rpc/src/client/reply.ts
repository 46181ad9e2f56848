import { applied, inDoubt, outcomeSchema, type Outcome } from '@fair-bench/contract';
import { appliedText } from '../protocol.ts';

const appliedBytes = Buffer.from(appliedText);

/**
 * Reads a reply. The bytes of nearly every reply are recognised as they are; any others are parsed and
 * checked. A reply that cannot be understood leaves the operation in doubt.
 */
export function decodeReply(status: number, body: Buffer): Outcome {
  if (status === 200 && body.length === appliedBytes.length && body.equals(appliedBytes)) return applied;
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return inDoubt('protocol-error', `status ${status} with a body that is not JSON: ${excerpt(body)}`);
  }
  const parsed = outcomeSchema.safeParse(value);
  if (!parsed.success) {
    return inDoubt('protocol-error', `status ${status} with a body that is no outcome: ${excerpt(body)}`);
  }
  if ((parsed.data.kind === 'fault') !== status >= 400) {
    return inDoubt('protocol-error', `status ${status} does not go with the outcome ${excerpt(body)}`);
  }
  return parsed.data;
}

function excerpt(body: Buffer): string {
  return JSON.stringify(body.toString('utf8', 0, 200));
}
