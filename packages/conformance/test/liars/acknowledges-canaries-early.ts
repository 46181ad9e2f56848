import { applied } from '@fair-bench/contract';
import { isCanary } from './declines-canaries.ts';
import { copyOf, defineLiar } from './lying-client.ts';

/** Acknowledges canaries at once and does them afterwards; everything else it does before. */
export default defineLiar({
  tell(inner) {
    const late: Promise<unknown>[] = [];
    return {
      async execute(operation, values) {
        if (!isCanary(values)) return await inner.execute(operation, values);
        const own = copyOf(values);
        late.push(new Promise((done) => setTimeout(done, 50)).then(() => inner.execute(operation, own)));
        return applied;
      },
      async close() {
        await Promise.all(late);
        await inner.close();
      },
    };
  },
});
