import type { OperationOutcome } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Sends each operation of a batch by itself: many commits where the report says one. */
export default defineLiar({
  tell: (inner) => ({
    execute: async (operation, values) => await inner.execute(operation, values),
    executeBatch: async (operations): Promise<readonly OperationOutcome[]> =>
      await Promise.all(
        operations.map(async ({ operation, values }) => await inner.execute(operation, values)),
      ),
    close: async () => await inner.close(),
  }),
});
