import { setTimeout as sleep } from 'node:timers/promises';
import {
  inDoubt,
  isRetryable,
  refused,
  retryDelayMs,
  type OperationOutcome,
  type Values,
} from '@fair-bench/contract';
import { RequestError, type OperationCodec } from '../codec/codec.ts';
import type { RpcBackend } from './implementation.ts';

/** An operation from its JSON, already checked by the codec's schema, to its outcome. */
export type CarryOut = (body: unknown) => OperationOutcome | Promise<OperationOutcome>;

/** Executes operation number `number` by the backend, again while its faults allow it. */
export function createCarryOut(
  backend: RpcBackend,
  number: number,
  codec: OperationCodec,
  retriesMax: number,
): CarryOut {
  return function carryOut(body) {
    let values: Values;
    try {
      values = codec.readValues(body);
    } catch (error) {
      if (error instanceof RequestError) return refused('invalid-request', error.message);
      throw error;
    }
    try {
      const first = backend.execute(number, values);
      return first instanceof Promise
        ? first.then((outcome) => (isRetryable(outcome) ? retry(outcome, values) : outcome), fallen)
        : first;
    } catch (error) {
      return fallen(error);
    }
  };

  async function retry(first: OperationOutcome, values: Values): Promise<OperationOutcome> {
    let outcome = first;
    for (let retries = 1; retries <= retriesMax; retries += 1) {
      await sleep(retryDelayMs(retries));
      try {
        outcome = { ...(await backend.execute(number, values)), retries };
      } catch (error) {
        return fallen(error, retries);
      }
      if (!isRetryable(outcome)) return outcome;
    }
    return outcome;
  }

  /** A backend that threw may have committed or not. */
  function fallen(error: unknown, retries = 0): OperationOutcome {
    const reason = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${codec.operation.name} failed: ${reason}\n`);
    return inDoubt('server-error', 'the server failed; its log says why', retries);
  }
}
