import { fileURLToPath } from 'node:url';
import { jsonObjectSchema, type TargetWorkload } from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, shapeOf } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';

/** The transfer workload, as a target is started for it. */
export const transfers: TargetWorkload = {
  shape: shapeOf(resolveWorkload(transfer, defaultParameters(transfer))),
  description: jsonObjectSchema.parse(transfer),
  folder: fileURLToPath(new URL('../../../../workloads/transfer/', import.meta.url)),
};
