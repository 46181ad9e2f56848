import { defineLiar } from './lying-client.ts';

/** Sends every operation again after its reply, and reports one. */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      await inner.execute(operation, values);
      return await inner.execute(operation, values);
    },
    close: () => inner.close(),
  }),
});
