import { applied, type Values } from '@fair-bench/contract';
import { copyOf, defineLiar } from './lying-client.ts';

const heldMax = 16;

/** Acknowledges operations that are only queued; those still queued when the session ends are lost. */
export default defineLiar({
  tell(inner) {
    const queue: { readonly operation: number; readonly values: Values }[] = [];
    return {
      async execute(operation, values) {
        queue.push({ operation, values: copyOf(values) });
        const oldest = queue.length > heldMax ? queue.shift() : undefined;
        return oldest === undefined ? applied : await inner.execute(oldest.operation, oldest.values);
      },
      close: () => inner.close(),
    };
  },
});
