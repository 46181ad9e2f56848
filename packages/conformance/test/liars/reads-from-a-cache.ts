import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataPlane, OperationOutcome, WorkloadShape } from '@fair-bench/contract';
import { valueToJson } from '@fair-bench/workload';
import { defineLiar } from './lying-client.ts';

/** Over all sessions, so that no read is stale: nobody else writes. */
const cache = new Map<string, OperationOutcome>();
let writes = 0;

/** Answers a read that it has sent before itself, until the next write: every reply is right. `instead` is done for each. */
export function readsFromACache(
  inner: DataPlane,
  { operations }: WorkloadShape,
  instead: () => void = () => undefined,
): DataPlane {
  return {
    async execute(operation, values) {
      const key = JSON.stringify([operation, ...values.map(valueToJson)]);
      const known = cache.get(key);
      if (known !== undefined) {
        instead();
        await nextTurn();
        return known;
      }
      const isRead = operations[operation]?.writes === false;
      if (!isRead) writes += 1;
      const before = writes;
      const outcome = await inner.execute(operation, values);
      if (!isRead) {
        writes += 1;
        cache.clear();
      } else if (writes === before) cache.set(key, outcome);
      return outcome;
    },
    close: () => inner.close(),
  };
}

export default defineLiar({ tell: (inner, workload) => readsFromACache(inner, workload) });
