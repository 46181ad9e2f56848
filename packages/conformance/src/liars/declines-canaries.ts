import { defineLiar } from './lying-client.ts';

/** Streams count keys up from 0, canaries down from the largest. */
const keyMin = 2 ** 31;

/** Declines the canaries, each for a reason of its operation's own: what was never applied need not be there. */
export default defineLiar({
  tell: (inner, workload) => ({
    async execute(operation, values) {
      const isCanary = values.some((value) => typeof value === 'number' && value >= keyMin);
      const reason = workload.operations[operation]?.reasons.at(-1);
      if (!isCanary || reason === undefined) return await inner.execute(operation, values);
      return { kind: 'declined', reason, retries: 0 };
    },
    close: () => inner.close(),
  }),
});
