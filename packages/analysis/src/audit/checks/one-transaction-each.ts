import { type Check, pass, type TrialEvidence, fail } from '../evidence.ts';

/**
 * A transaction writes at most the rows of one operation, or of those of one batch, and has at most as many subtransactions that write. Several
 * operations in one transaction share its commit and its flush, and empty transactions hide that from every counter. A
 * row names only its last writer, so this check does not see operations of one transaction that write the same few rows.
 */
export const checkOneTransactionEach: Check = ({ cell: { batch }, observed: { lastWriters } }) => {
  const found = lastWriters === null ? null : moreThanOne(lastWriters, batch);
  if (found === null) return pass;
  return fail(
    'one-transaction-each',
    `${found}: several ${batch === 1 ? 'operations' : 'batches'} shared one commit`,
    'commit every operation by itself, with at most one savepoint for each row; if an operation writes more rows than that, add them to the effects of its description',
  );
};

function moreThanOne(
  { tables, subtransactionsMost }: NonNullable<TrialEvidence['observed']['lastWriters']>,
  batch: number,
): string | null {
  const unit = batch === 1 ? 'an operation' : `a batch of ${batch} operations`;
  const table = tables.find(({ rowsMost, rowsOfOperationMax }) => rowsMost > batch * rowsOfOperationMax);
  if (table !== undefined) {
    const { name, rowsMost, rowsOfOperationMax } = table;
    return `one transaction was the last to write ${rowsMost} rows of ${name}, and ${unit} writes at most ${batch * rowsOfOperationMax} of them`;
  }
  const rowsMax = batch * tables.reduce((sum, { rowsOfOperationMax }) => sum + rowsOfOperationMax, 0);
  if (subtransactionsMost === null || subtransactionsMost <= rowsMax) return null;
  return `one transaction had ${subtransactionsMost} subtransactions that had written, and ${unit} writes at most ${rowsMax} rows`;
}
