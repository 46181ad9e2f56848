import { setTimeout as sleep } from 'node:timers/promises';
import {
  amountMax,
  amountMin,
  declined,
  inDoubt,
  refused,
  type Outcome,
  type TransferJson,
} from '@fair-bench/contract';
import type { RpcBackend } from './implementation.ts';

/** A decimal of this many characters is within 64 bits whatever its digits. */
const safeLength = 18;
const retryDelayMsMax = 50;

export type Transact = (request: TransferJson) => Outcome | Promise<Outcome>;

/**
 * A transfer from its JSON to its outcome: the checks that need no database, in the order that the
 * protocol fixes, then the backend, tried again while its faults say so.
 */
export function createTransact(backend: RpcBackend, retriesMax: number): Transact {
  return function transact(request) {
    const { source, target } = request;
    const amount = BigInt(request.amount);
    if (request.amount.length > safeLength && (amount > amountMax || amount < amountMin)) {
      return refused('invalid-request', 'body/amount must fit into 64 bits');
    }
    if (amount <= 0n) return declined('non-positive-amount');
    if (source === target) return declined('same-account');
    try {
      const first = backend.transfer(source, target, amount);
      return first instanceof Promise
        ? first.then(
            (outcome) => (isRetryable(outcome) ? retry(outcome, source, target, amount) : outcome),
            fallen,
          )
        : first;
    } catch (error) {
      return fallen(error);
    }
  };

  /** Waits with full jitter (0 to 2ⁿ ms): those who collided once do not meet again in step. */
  async function retry(first: Outcome, source: number, target: number, amount: bigint): Promise<Outcome> {
    let outcome = first;
    for (let retries = 1; retries <= retriesMax; retries += 1) {
      await sleep(Math.random() * Math.min(2 ** retries, retryDelayMsMax));
      try {
        outcome = { ...(await backend.transfer(source, target, amount)), retries };
      } catch (error) {
        return fallen(error, retries);
      }
      if (!isRetryable(outcome)) return outcome;
    }
    return outcome;
  }
}

function isRetryable(outcome: Outcome): boolean {
  return (
    outcome.kind === 'fault' &&
    !outcome.inDoubt &&
    (outcome.code === 'serialization-failure' || outcome.code === 'deadlock')
  );
}

/** A backend that threw says nothing about whether it committed. */
function fallen(error: unknown, retries = 0): Outcome {
  process.stderr.write(`transfer failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  return inDoubt('server-error', 'the server failed; its log says why', retries);
}
