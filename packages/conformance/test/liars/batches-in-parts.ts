import { batchesOperations } from './batches-operations.ts';
import { defineLiar } from './lying-client.ts';

/** Makes every operation of a batch a subtransaction: each gets an id of its own, and PostgreSQL writes that one into its rows. */
export default defineLiar({
  tell: batchesOperations({
    before: ['SAVEPOINT part'],
    after: ['RELEASE part'],
    instead: ['BEGIN', 'COMMIT'],
  }),
});
