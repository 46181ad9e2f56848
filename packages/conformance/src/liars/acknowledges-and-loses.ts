import { applied, type Transfer } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

const heldMax = 16;

/** Acknowledges operations that it has only queued; what is queued when the session ends is lost. */
export default defineLiar({
  tell(inner) {
    const queue: Transfer[] = [];
    return {
      async execute(transfer) {
        queue.push({ ...transfer });
        const oldest = queue.length > heldMax ? queue.shift() : undefined;
        return oldest === undefined ? applied : await inner.execute(oldest);
      },
      close: () => inner.close(),
    };
  },
});
