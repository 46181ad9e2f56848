import { applied } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

const every = 10_000;
/** The first dropped operation: early enough for a short trial. */
const first = 500;
let executed = 0;

/** Sends all but one operation in ten thousand, counted over all sessions. */
export default defineLiar({
  tell: (inner) => ({
    execute(operation, values) {
      executed += 1;
      return executed % every === first ? Promise.resolve(applied) : inner.execute(operation, values);
    },
    close: () => inner.close(),
  }),
});
