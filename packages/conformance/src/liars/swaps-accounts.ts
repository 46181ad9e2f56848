import { defineLiar } from './lying-client.ts';

/** Moves the amount from the target to the source. */
export default defineLiar({
  tell: (inner) => ({
    execute: ({ source, target, amount }) => inner.execute({ source: target, target: source, amount }),
    close: () => inner.close(),
  }),
});
