import { defineLiar } from './lying-client.ts';

/** Sends every operation again after its reply, and tells of one. */
export default defineLiar({
  tell: (inner) => ({
    async execute(transfer) {
      await inner.execute(transfer);
      return await inner.execute(transfer);
    },
    close: () => inner.close(),
  }),
});
