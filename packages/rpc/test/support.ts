import transfer from '@fair-bench/workloads/transfer';
import { targetOf } from '../src/test-support/index.ts';

/** The transfer, as servers and sessions of these tests are given it. */
export const { shape, description } = targetOf({
  description: transfer,
  url: import.meta.resolve('@fair-bench/workloads/transfer'),
});
