import { type Check, pass, type TrialEvidence, fail } from '../evidence.ts';

/**
 * A transaction writes at most the rows of one operation, and has at most as many subtransactions that write. Several
 * operations in one transaction share its commit and its flush, and empty transactions hide that from every counter. A
 * row names only its last writer, so this check does not see operations of one transaction that write the same few rows.
 */
export const checkOneTransactionEach: Check = ({ observed: { lastWriters } }) => {
  const found = lastWriters === null ? null : moreThanOne(lastWriters);
  if (found === null) return pass;
  return fail(
    'one-transaction-each',
    `${found}: several operations shared one commit`,
    'commit every operation by itself, with at most one savepoint for each row; if an operation writes more rows than that, add them to the effects of its description',
  );
};

function moreThanOne({
  tables,
  subtransactionsMost,
}: NonNullable<TrialEvidence['observed']['lastWriters']>): string | null {
  const table = tables.find(({ rowsMost, rowsOfOperationMax }) => rowsMost > rowsOfOperationMax);
  if (table !== undefined) {
    const { name, rowsMost, rowsOfOperationMax } = table;
    return `one transaction was the last to write ${rowsMost} rows of ${name}, and an operation writes at most ${rowsOfOperationMax} of them`;
  }
  const rowsMax = tables.reduce((sum, { rowsOfOperationMax }) => sum + rowsOfOperationMax, 0);
  if (subtransactionsMost === null || subtransactionsMost <= rowsMax) return null;
  return `one transaction had ${subtransactionsMost} subtransactions that had written, and an operation writes at most ${rowsMax} rows`;
}
