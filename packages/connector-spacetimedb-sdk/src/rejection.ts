import { SenderError } from 'spacetimedb';
import { declined, declineReasons, inDoubt, refused, type Outcome } from '@fair-bench/contract';

/** The whole text of the module's error, by rule; see modules/spacetimedb. */
const declinedByText: ReadonlyMap<string, Outcome> = new Map(
  declineReasons.map((reason) => [`declined:${reason}`, declined(reason)]),
);

/**
 * What a call that the SDK rejected means: the module's own error changed nothing; whatever else the server
 * says leaves open what became of the transaction.
 */
export function outcomeOfRejection(error: unknown): Outcome {
  if (!(error instanceof SenderError)) {
    return inDoubt('server-error', `spacetimedb: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (
    declinedByText.get(error.message) ??
    refused('server-error', `spacetimedb: the module said ${error.message}`)
  );
}
