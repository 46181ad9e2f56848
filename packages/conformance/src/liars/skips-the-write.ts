import { applied } from '@fair-bench/contract';
import { defineLiar } from './lying-client.ts';

/** Makes the round trip with an amount of zero, which changes nothing, and says that it was applied. */
export default defineLiar({
  tell: (inner) => ({
    async execute({ source, target }) {
      const outcome = await inner.execute({ source, target, amount: 0n });
      return outcome.kind === 'declined' ? applied : outcome;
    },
    close: () => inner.close(),
  }),
});
