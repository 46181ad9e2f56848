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

type ExecuteBatch = (operations: readonly BatchedOperation[]) => Promise<readonly OperationOutcome[]>;

/** Batches over a call that resolves with the rows of the batch's function or with the fault that ended it. */
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
    const answer = await call(values);
    if ('kind' in answer) return forAll(answer);
    try {
      return codec.outcomesOf(operations, answer);
    } catch (error) {
      return forAll(inDoubt('protocol-error', messageOf(error)));
    }
  };
}
