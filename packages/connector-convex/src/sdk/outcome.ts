import { applied, declined, declineReasons, inDoubt, refused, type Outcome } from '@fair-bench/contract';

const declinedByReason: ReadonlyMap<unknown, Outcome> = new Map(
  declineReasons.map((reason) => [reason, declined(reason)]),
);

/** What the mutation returned: an outcome without a count of retries, which it cannot know. */
export function outcomeOf(value: unknown): Outcome {
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'applied') return applied;
    const decline = 'reason' in value ? declinedByReason.get(value.reason) : undefined;
    if (value.kind === 'declined' && decline !== undefined) return decline;
    if (value.kind === 'fault' && 'message' in value)
      return refused('invalid-request', `convex: ${String(value.message)}`);
  }
  return inDoubt('protocol-error', 'convex: the mutation returned no outcome');
}

/**
 * What a mutation that the client rejected means: the function threw, and nothing of it was committed. What Convex
 * itself gives up it does not answer.
 */
export function outcomeOfRejection(error: unknown): Outcome {
  return refused(
    'server-error',
    `convex: ${error instanceof Error ? error.message : String(error)}`.slice(0, 300),
  );
}
