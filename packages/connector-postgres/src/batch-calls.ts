import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchedOperation,
  inDoubt,
  messageOf,
  type Fault,
  type OperationOutcome,
  refused,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import type { CellRow } from '@fair-bench/sql';
import { batchCodec } from './batch.ts';

/** Attempts beyond the first of a batch that the server has undone, as many as an application server makes. */
const retriesMax = 10;
const retryDelayMsMax = 50;

type ExecuteBatch = (operations: readonly BatchedOperation[]) => Promise<readonly OperationOutcome[]>;

/**
 * Batches over a call that resolves with the rows of the batch's function or with the fault that ended it. Batches lock many
 * rows in the order of their operations, so that two may deadlock: the victim, which the server has undone, is sent again.
 */
export function batchCalls(
  workload: WorkloadShape,
  call: (values: Values) => Promise<readonly CellRow[] | Fault>,
): ExecuteBatch {
  const codec = batchCodec(workload);
  return async (operations) => {
    const forAll = (fault: OperationOutcome): readonly OperationOutcome[] => operations.map(() => fault);
    let values: Values;
    try {
      values = codec.valuesOf(operations);
    } catch (error) {
      return forAll(refused('invalid-request', messageOf(error)));
    }
    for (let retries = 0; ; retries += 1) {
      const answer = await call(values);
      if ('kind' in answer) {
        if (retries < retriesMax && isUndone(answer)) {
          // With full jitter: batches that collided once do not meet again in step.
          await sleep(Math.random() * Math.min(2 ** (retries + 1), retryDelayMsMax));
          continue;
        }
        return counted(forAll(answer), retries);
      }
      try {
        return counted(codec.outcomesOf(operations, answer), retries);
      } catch (error) {
        return forAll(inDoubt('protocol-error', messageOf(error)));
      }
    }
  };
}

function isUndone({ code, inDoubt: isDoubtful }: Fault): boolean {
  return !isDoubtful && (code === 'deadlock' || code === 'serialization-failure');
}

/** A batch that was sent again is one retry each time, whatever the number of its operations. */
function counted(outcomes: readonly OperationOutcome[], retries: number): readonly OperationOutcome[] {
  const [first, ...others] = outcomes;
  return retries === 0 || first === undefined ? outcomes : [{ ...first, retries }, ...others];
}
