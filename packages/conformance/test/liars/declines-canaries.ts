import type { Values } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Streams count keys up from 0, canaries down from the largest of 31 bits. */
const keyMin = 2 ** 30;

export function isCanary(values: Values): boolean {
  return values.some((value) => typeof value === 'number' && value >= keyMin);
}

/** Declines the canaries, each for a reason of its operation's own: what was never applied need not be there. */
export default defineLiar({
  tell: (inner, workload) => ({
    async execute(operation, values) {
      const reason = workload.operations[operation]?.reasons.at(-1);
      if (!isCanary(values) || reason === undefined) return await inner.execute(operation, values);
      return { kind: 'declined', reason, retries: 0 };
    },
    close: () => inner.close(),
  }),
});
