import { isCanary } from './declines-canaries.ts';
import { defineLiar } from './lying-client.ts';

/** How many operations of all sessions are in flight, by operation and first argument. */
const inFlight = new Map<string, number>();

/**
 * Declines an operation on a row that another one is waiting for, without waiting: what it costs most to do is not done.
 * Writes how often it did.
 */
export default defineLiar({
  tell(inner, workload, _url, lied) {
    let lies = 0;
    return {
      async execute(operation, values) {
        const [first] = values;
        const reason = workload.operations[operation]?.reasons.at(-1);
        if (reason === undefined || typeof first === 'object' || isCanary(values))
          return await inner.execute(operation, values);
        const key = `${operation} ${first}`;
        const waiting = inFlight.get(key) ?? 0;
        if (waiting > 0) {
          lies += 1;
          return { kind: 'declined', reason, retries: 0 };
        }
        inFlight.set(key, waiting + 1);
        try {
          return await inner.execute(operation, values);
        } finally {
          inFlight.set(key, (inFlight.get(key) ?? 1) - 1);
        }
      },
      async close() {
        await inner.close();
        lied(lies);
      },
    };
  },
});
