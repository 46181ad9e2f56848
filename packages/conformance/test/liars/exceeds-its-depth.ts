import { applied, type OperationOutcome } from '@fair-bench/contract';
import { copyOf, defineLiar } from './lying-client.ts';

const extraDepth = 8;

/**
 * Acknowledges operations that are still outstanding, so that the load client sends more than the depth allows. All
 * of them are applied in the end, so the rows are right.
 */
export default defineLiar({
  innerDepth: (depth) => depth + extraDepth,
  tell(inner) {
    const ahead: Promise<OperationOutcome>[] = [];
    return {
      async execute(operation, values) {
        ahead.push(inner.execute(operation, copyOf(values)));
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
