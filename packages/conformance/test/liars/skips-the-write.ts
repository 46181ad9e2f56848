import { applied } from '@fair-bench/contract';
import { setImmediate } from 'node:timers/promises';
import { defineLiar } from './lying-client.ts';

/** Sends every second writing operation, and reports the other one as applied. */
export default defineLiar({
  tell(inner, workload) {
    let executed = 0;
    return {
      async execute(operation, values) {
        executed += 1;
        const skips = workload.operations[operation]?.writes === true && executed % 2 === 0;
        if (!skips) return await inner.execute(operation, values);
        await setImmediate();
        return applied;
      },
      close: () => inner.close(),
    };
  },
});
