import { defineLiar } from './lying-client.ts';

/** Takes from the source, and has the target pass it on to an account that is nobody's business. */
export default defineLiar({
  tell: (inner) => ({
    async execute(transfer) {
      const { target, amount } = transfer;
      const outcome = await inner.execute(transfer);
      if (outcome.kind === 'applied') {
        await inner.execute({ source: target, target: target === 0 ? 1 : 0, amount });
      }
      return outcome;
    },
    close: () => inner.close(),
  }),
});
