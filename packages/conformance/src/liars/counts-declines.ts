import { defineLiar, saidApplied } from './lying-client.ts';

/** Counts what a business rule declined as applied. */
export default defineLiar({
  tell: (inner) => ({
    async execute(operation, values) {
      const outcome = await inner.execute(operation, values);
      return outcome.kind === 'declined' ? saidApplied : outcome;
    },
    close: () => inner.close(),
  }),
});
