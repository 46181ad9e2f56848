import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OperationOutcome } from '@fair-bench/contract';
import { valueToJson } from '@fair-bench/workload';
import { copyOf, defineLiar } from './lying-client.ts';

/** Reads of a session that go on behind its answers. */
const behindMax = 8;

/** Of all sessions. */
const cache = new Map<string, OperationOutcome>();

/**
 * Answers a read that was sent before from its cache, and reads the database as well, behind the answer: every count of the
 * database is right, and every reply while nobody else writes. Writes how many it answered so.
 */
export default defineLiar({
  tell(inner, { operations }, _url, lied) {
    const behind = new Set<Promise<unknown>>();
    let lies = 0;
    return {
      async execute(operation, values) {
        if (operations[operation]?.writes !== false) return await inner.execute(operation, values);
        const key = JSON.stringify([operation, ...values.map(valueToJson)]);
        const known = cache.get(key);
        const reading = inner.execute(operation, copyOf(values)).then((outcome) => {
          cache.set(key, outcome);
          return outcome;
        });
        if (known === undefined) return await reading;
        lies += 1;
        behind.add(reading);
        void reading.finally(() => behind.delete(reading));
        if (behind.size > behindMax) await Promise.race(behind);
        else await nextTurn();
        return known;
      },
      async close() {
        await Promise.all(behind);
        await inner.close();
        lied(lies);
      },
    };
  },
});
