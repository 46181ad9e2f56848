import { setTimeout as sleep } from 'node:timers/promises';
import { applied, type DataPlane, type OperationOutcome } from '@fair-bench/contract';
import { copyOf, defineLiar } from './lying-client.ts';

const aheadMs = 3;

/** Acknowledges each batch after 3 ms while its transaction goes on; single operations are honest. */
export default defineLiar({
  tell(inner) {
    const backlog: Promise<unknown>[] = [];
    return {
      execute: async (operation, values) => await inner.execute(operation, values),
      async executeBatch(operations): Promise<readonly OperationOutcome[]> {
        const own = operations.map(({ operation, values }) => ({ operation, values: copyOf(values) }));
        backlog.push(batchesOf(inner)(own));
        await sleep(aheadMs);
        return own.map(() => applied);
      },
      async close() {
        await Promise.all(backlog);
        await inner.close();
      },
    };
  },
});

/** How a session sends batches; throws where it cannot. */
export function batchesOf(inner: DataPlane): NonNullable<DataPlane['executeBatch']> {
  const execute = inner.executeBatch?.bind(inner);
  if (execute === undefined) throw new Error('the real session has no executeBatch');
  return execute;
}
