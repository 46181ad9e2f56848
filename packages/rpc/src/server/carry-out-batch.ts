import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchedOperation,
  inDoubt,
  isRetryable,
  type OperationOutcome,
  refused,
  retryDelayMs,
} from '@fair-bench/contract';
import { type OperationCodec, RequestError } from '../codec/codec.ts';
import type { RpcBackend } from './implementation.ts';

/** A batch from its JSON, already checked by its schema, to an outcome for each operation, or the fault of all. */
export type CarryOutBatch = (
  body: unknown,
) => Promise<{ readonly outcomes: readonly OperationOutcome[] } | { readonly fault: OperationOutcome }>;

/** Executes batches by the backend, again while their faults allow it; null where it cannot. */
export function createCarryOutBatch(
  backend: RpcBackend,
  codecs: readonly OperationCodec[],
  retriesMax: number,
): CarryOutBatch | null {
  const execute = backend.executeBatch?.bind(backend);
  if (execute === undefined) return null;
  return async function carryOutBatch(body) {
    let operations: readonly BatchedOperation[];
    try {
      operations = readBatch(codecs, body);
    } catch (error) {
      if (error instanceof RequestError) return { fault: refused('invalid-request', error.message) };
      throw error;
    }
    try {
      for (let retries = 0; ; retries += 1) {
        const outcomes = await execute(operations);
        const [first] = outcomes;
        if (first === undefined) throw new Error(`no outcomes of a batch of ${operations.length}`);
        if (retries < retriesMax && isRetryable(first)) {
          await sleep(retryDelayMs(retries + 1));
          continue;
        }
        if (retries === 0) return { outcomes };
        return { outcomes: [{ ...first, retries }, ...outcomes.slice(1)] };
      }
    } catch (error) {
      const reason = error instanceof Error ? error.stack : String(error);
      process.stderr.write(`a batch failed: ${reason}\n`);
      return { fault: inDoubt('server-error', 'the server failed; its log says why') };
    }
  };
}

function readBatch(codecs: readonly OperationCodec[], body: unknown): readonly BatchedOperation[] {
  if (!Array.isArray(body)) throw new RequestError('body must be array');
  return body.map((one: unknown) => {
    const [number, values]: readonly unknown[] = Array.isArray(one) ? one : [];
    const operation = Number(number);
    const codec = codecs[operation];
    if (codec === undefined) throw new RequestError(`body names operation ${String(number)}`);
    return { operation, values: codec.readValues(values) };
  });
}
