import { applied } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Counts what a business rule declined as applied. */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      const outcome = await inner.execute(operation, values);
      return outcome.kind === 'declined' ? applied : outcome;
    },
    close: () => inner.close(),
  }),
});
