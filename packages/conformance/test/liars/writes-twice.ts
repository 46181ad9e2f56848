import { isCanary } from './declines-canaries.ts';
import { defineLiar } from './lying-client.ts';

/** Sends every operation except for canaries again after its reply, and reports one. */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      if (!isCanary(values)) await inner.execute(operation, values);
      return await inner.execute(operation, values);
    },
    close: () => inner.close(),
  }),
});
