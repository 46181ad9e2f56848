import { applied, type OperationOutcome } from '@fair-bench/contract';
import { isCanary } from './declines-canaries.ts';
import { copyOf, defineLiar } from './lying-client.ts';

const aheadMax = 128;
/** After the first canary, which shows it that the window has begun. */
const forMs = 500;
/** Acknowledged and not done, over all sessions. */
const ahead = new Set<Promise<OperationOutcome>>();
let canaryMs: number | null = null;

/**
 * Acknowledges up to 128 operations before they are done, but none when it executes a canary, and none near the end of
 * the window.
 */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      if (isCanary(values)) canaryMs ??= performance.now();
      const work = isCanary(values)
        ? Promise.all(ahead).then(() => inner.execute(operation, values))
        : inner.execute(operation, copyOf(values));
      const isOver = canaryMs !== null && performance.now() - canaryMs > forMs;
      if (isCanary(values) || isOver) return await work;
      ahead.add(work);
      void work.then(() => ahead.delete(work));
      while (ahead.size > aheadMax) await Promise.race(ahead);
      return applied;
    },
    async close() {
      await Promise.all(ahead);
      await inner.close();
    },
  }),
});
