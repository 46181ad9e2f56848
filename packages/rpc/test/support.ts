import transfer from '@fair-bench/workloads/transfer';
import { targetOf } from '../src/test-support/index.ts';

/** The transfer workload, as servers and sessions of these tests get it. */
export const { shape, description } = targetOf({
  description: transfer,
  url: import.meta.resolve('@fair-bench/workloads/transfer'),
});
