import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TargetWorkload } from '@fair-bench/contract';
import { targetWorkload, type WorkloadDescription } from '@fair-bench/workload';
import counter from '@fair-bench/workloads/counter';
import transfer from '@fair-bench/workloads/transfer';

const workloads = fileURLToPath(new URL('../../../../workloads/', import.meta.url));

/** The transfer workload, as a target is started for it. */
export const transfers = shippedWorkload(transfer);

/** The workloads that the double can carry out, by their names. */
export const doubled: ReadonlyMap<string, TargetWorkload> = new Map([
  [transfer.name, transfers],
  [counter.name, shippedWorkload(counter)],
]);

function shippedWorkload(description: WorkloadDescription): TargetWorkload {
  return targetWorkload({ description, folder: join(workloads, description.name) });
}
