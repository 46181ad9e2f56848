import { applied } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Counts what a business rule declined as applied. */
export default defineLiar({
  tell: (inner) => ({
    async execute(transfer) {
      const outcome = await inner.execute(transfer);
      return outcome.kind === 'declined' ? applied : outcome;
    },
    close: () => inner.close(),
  }),
});
