import { applied, type Outcome } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

const extraDepth = 8;

/**
 * Acknowledges operations that are still on their way, so that the load client sends more than the depth
 * allows. In the end all of them are applied: no balance tells.
 */
export default defineLiar({
  innerDepth: (depth) => depth + extraDepth,
  tell(inner) {
    const ahead: Promise<Outcome>[] = [];
    return {
      async execute(transfer) {
        ahead.push(inner.execute({ ...transfer }));
        const oldest = ahead.length > extraDepth ? ahead.shift() : undefined;
        return oldest === undefined ? applied : await oldest;
      },
      async close() {
        await Promise.all(ahead);
        await inner.close();
      },
    };
  },
});
