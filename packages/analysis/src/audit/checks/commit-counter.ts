import type { WorkCounters } from '@fair-bench/contract';
import { appliedWrites, type Check, completions, pass, type TrialEvidence, fail, warn } from '../evidence.ts';

/** Transactions outside of any operation: connecting, preparing, reading settings. */
const overheadPerConnection = 8;
const overheadShareMax = 0.02;
/** At most, for one look for unflushed commits and the reading of the writers of rows beside it. */
const statementsOfLook = 8;

/**
 * The other end must count at least what was acknowledged. A database counts a commit for each operation that writes, or for
 * each batch: with more commits than batches, they were no batches.
 * Some databases also count a transaction and a scan for each operation that reads. An application server counts applied
 * operations.
 */
export const checkCommitCounter: Check = (evidence) => {
  const { result, cell, observed } = evidence;
  const { retries } = result.total;
  // The counts of the load client exclude canaries, those of the other end include them.
  const canaries = observed.canaries?.applied ?? 0;
  const applied = result.total.applied + canaries;
  const writes = appliedWrites(result, 'total') + canaries;
  const serverApplied = increase(evidence, 'applied');
  if (serverApplied !== null && serverApplied < applied) {
    return fail(
      'server-counter',
      `the application server counted ${serverApplied} applied operations, the load client ${applied}`,
      'the session reports outcomes that the server never sent',
    );
  }
  const commits = increase(evidence, 'commits');
  const { batch } = cell;
  const together = batch === 1 ? '' : `, ${batch} to a commit`;
  // A batch commits once, however many of its operations are declined.
  const commitsOf = (operations: number): number => Math.ceil(operations / batch);
  if (commits !== null && commits < commitsOf(writes)) {
    return fail(
      'commit-counter',
      `the database counted ${commits} commits, the load client ${writes} applied operations that write${together}`,
      'some acknowledged operations were never committed',
    );
  }
  const transactions = increase(evidence, 'transactions');
  if (transactions !== null && transactions < commitsOf(applied)) {
    return fail(
      'transaction-counter',
      `the database counted ${transactions} transactions, the load client ${applied} applied operations${together}`,
      'some operations were answered without the database, as from a cache of the client',
    );
  }
  const reads = result.operations.reduce(
    (sum, { writes: also, total }) => sum + (also ? 0 : total.applied),
    0,
  );
  const scans = increase(evidence, 'scans');
  if (scans !== null && scans < reads) {
    return fail(
      'scan-counter',
      `the database counted ${scans} scans of its tables, the load client ${reads} applied operations that read`,
      'some operations were answered without reading a table, as from a cache of the server or of the client',
    );
  }
  if (commits === null) return pass;
  const connections = Math.max(evidence.factsAfter.writersMax, cell.sessions);
  // A canary is one operation and one read.
  const watched =
    2 * (observed.canaries?.planned ?? 0) +
    (observed.settings?.readings ?? 0) +
    statementsOfLook * (observed.unflushed?.looks ?? 0) +
    (observed.changes?.transactions ?? 0);
  const requests = commitsOf(completions(result.total) + result.unanswered);
  const explained = requests + retries + watched + connections * overheadPerConnection;
  if (commits > explained * (1 + overheadShareMax)) {
    if (batch > 1) {
      return fail(
        'batch-commits',
        `the database counted ${commits} commits for ${requests} batches of ${batch} operations`,
        'commit the operations of a batch together, or state --batch 1; if something else writes to this database, use one of its own',
      );
    }
    return warn(
      'extra-commits',
      `the database counted ${commits} commits for ${writes} applied operations that write`,
      'something else wrote to this database, or an operation takes more than one transaction',
    );
  }
  return pass;
};

function increase(evidence: TrialEvidence, counter: keyof WorkCounters): number | null {
  const before = evidence.countersBefore[counter];
  const after = evidence.countersAfter[counter];
  return before === undefined || after === undefined ? null : after - before;
}
