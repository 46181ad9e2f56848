import { type Check, completions, pass, type TrialEvidence, fail } from '../evidence.ts';
import { momentsOf } from './done-at-window-end.ts';
import { missingWork } from './window-work.ts';

/** Transactions of the system itself in a trial, such as those of an autovacuum. */
const ownMax = 20;
/** By as many deviations may chance spread what is not explained unevenly over the trial. */
const deviations = 1.5;

/**
 * What the system counts as ended must be what the operations explain. PostgreSQL counts ids, and whoever burns ids (by
 * subtransactions that are rolled back, or by empty transactions) could acknowledge as many operations before they are
 * done. So the count after the trial, when all of its work has ended, says which share of the ids the operations
 * explain, and every count in the window counts for that share only: burning an id takes more than it gives. Subtransactions
 * are explained up to one for each row that an operation writes.
 */
export const checkExplainedCommits: Check = (evidence) => {
  const after = evidence.observed.committedAfterTrial;
  if (after === null) return pass;
  const { batch } = evidence.cell;
  const explained = explainedOf(evidence);
  const remedy =
    'something uses up transactions, which would hide early acknowledgements; if another program writes to this server, use one of its own';
  const subtransactions = explained * batch * rowsOfOperationMax(evidence);
  const found = `${after} transactions ended in the trial, of which its operations explain ${explained}`;
  if (after > explained + subtransactions) {
    return fail(
      'unexplained-commits',
      `${found}, and their subtransactions at most ${subtransactions}`,
      remedy,
    );
  }
  const share = Math.min(1, explained / Math.max(1, after));
  const ahead = momentsOf(evidence).find(({ acknowledged, count }) => {
    const slack = deviations * Math.sqrt(count * (1 - share));
    // What the raw count refutes is another rule's.
    const mayHave = (transactions: number): boolean => transactions * batch >= acknowledged;
    return mayHave(count) && !mayHave(count * share + slack);
  });
  if (ahead !== undefined) {
    return fail(
      'unexplained-commits',
      `${found}; of the ${ahead.count} that had ended ${ahead.when}, ${Math.floor(ahead.count * share)} were of operations at that rate, and ${ahead.acknowledged} were acknowledged`,
      remedy,
    );
  }
  const missing = missingWork(evidence, 1) === null ? missingWork(evidence, share) : null;
  return missing === null ? pass : fail('unexplained-commits', `${found}; at that rate ${missing}`, remedy);
};

/** Each execution of an operation that is counted, whatever came of it, and each retry. */
function explainedOf({
  cell,
  result,
  observed,
}: Pick<TrialEvidence, 'cell' | 'result' | 'observed'>): number {
  const executions = result.operations.reduce(
    (sum, { writes, total }) =>
      sum + (writes || observed.committedHasReads ? total.applied + total.declined + total.faults : 0),
    0,
  );
  const { retries } = result.total;
  // An operation that writes has the others of its batch write too.
  const requests = Math.min(executions, Math.ceil(completions(result.total) / cell.batch));
  const unanswered = Math.ceil(result.unanswered / cell.batch);
  const beside = (observed.canaries?.planned ?? 0) + (observed.changes?.transactions ?? 0);
  return requests + unanswered + retries + beside + ownMax;
}

function rowsOfOperationMax({ observed }: TrialEvidence): number {
  return (observed.lastWriters?.tables ?? []).reduce((sum, table) => sum + table.rowsOfOperationMax, 0);
}
