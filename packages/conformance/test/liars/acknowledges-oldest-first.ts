import { applied } from '@fair-bench/contract';
import { isCanary } from './declines-canaries.ts';
import { copyOf, defineLiar } from './lying-client.ts';

interface Waiting {
  isDone: boolean;
  readonly acknowledge: () => void;
}

/** The operations of all sessions, the one that waits longest first. */
const waiting: Waiting[] = [];

/**
 * Acknowledges the operation that has waited longest whenever any completes, except canaries with keys of their own,
 * so that no count is ever ahead and the slowest look faster. Writes how many were not done then.
 */
export default defineLiar({
  tell(inner, _workload, _url, lied) {
    let early = 0;
    const completed = async (own: Waiting, work: Promise<unknown>): Promise<void> => {
      await work;
      own.isDone = true;
      const oldest = waiting.shift();
      if (oldest?.isDone === false) early += 1;
      oldest?.acknowledge();
    };
    return {
      async execute(operation, values) {
        if (isCanary(values)) return await inner.execute(operation, values);
        const { promise, resolve } = Promise.withResolvers<void>();
        const own: Waiting = { isDone: false, acknowledge: resolve };
        waiting.push(own);
        void completed(own, inner.execute(operation, copyOf(values)));
        await promise;
        return applied;
      },
      async close() {
        await inner.close();
        lied(early);
      },
    };
  },
});
