import type { ReplayFinding } from '@fair-bench/contract';
import { countsOf, disagreement, refusalOf } from './counts.ts';
import { judgeDecline } from './declines.ts';
import type { DoubtsFinding } from './doubts.ts';
import { examplesMax, Mismatches } from './growing.ts';
import { inDoubtShareMaxDefault, type ReplayInput, type ReplayResult } from './finding.ts';
import { Collector, hasVersions } from './isolation/collect.ts';
import { observe } from './isolation/observe.ts';
import { Permitted } from './permitted.ts';
import { Reads } from './reads.ts';
import { applied, declined } from './session-replay.ts';
import { type Asserted, statedOf } from './stated.ts';
import { SumsInTime } from './sums-in-time.ts';
import { sumOf, Trial } from './trial.ts';

/**
 * Draws a trial's operations again and compares their effects with every row of the database, and their replies with
 * the rows that can have existed. Anything undecided fails: a finding passes only when every row, every logged read
 * and every decline is explained. Rejects when a log is corrupt or a table cannot be read. Memory: 8 bytes per row
 * for each column that is added to (16 if a decline rule or a read depends on it), 40 to 60 bytes per inserted row,
 * 24 bytes per setting write and per read; nothing per adding operation. For columns that are set and that rules compare:
 * about 200 bytes per operation on one.
 */
export async function replayDescribed(input: ReplayInput): Promise<ReplayResult> {
  const { workload, logs, scan, signal } = input;
  const trial = new Trial(workload, logs, input.suppose);
  const counts = countsOf(trial.sessions);
  const { drawn, inDoubt } = counts;
  const shareMax = input.inDoubtShareMax ?? inDoubtShareMaxDefault;
  const refusal = disagreement(counts, input.reported) ?? refusalOf(trial.sessions, drawn, inDoubt, shareMax);
  if (refusal !== null)
    return failed(trial, {
      seen: {},
      inDoubt,
      couldHide: drawn,
      mismatches: 1,
      reason: refusal,
      examples: [],
    });
  trial.replayInserts();
  const permitted = new Permitted(trial);
  trial.replayEffects((replayed, bound) => permitted.note(replayed, bound));
  const versions = hasVersions(workload) ? new Collector(trial) : null;
  const differences = new Map<number, bigint>();
  for (const state of trial.tables) {
    const { number, written } = state.followed.table;
    if (!written && input.unwritten?.has(number) !== true) continue;
    for await (const page of scan(number, signal)) {
      signal.throwIfAborted();
      for (const row of page) {
        const place = trial.take(state, row, differences);
        if (place === -1) continue;
        permitted.last(state, place, row);
        versions?.last(state, place, row);
      }
    }
    state.finish();
  }
  signal.throwIfAborted();
  const reads = new Reads(trial);
  const denied = new Mismatches('declined for a reason that no state of the trial permits');
  const declines = judgeReplies(trial, reads, denied);
  trial.cells.check(trial);
  permitted.judge();
  const doubts = trial.doubts.decide(
    differences,
    (table, row) => {
      const state = trial.tables[table];
      // What another operation deleted was there.
      return state !== undefined && (state.seen(row) || state.deleted?.isDeleted(row) === true);
    },
    trial.cells.visible,
    (sum) => trial.describeSum(sum),
  );
  const { isolation, mismatches } = isolationOf(versions);
  const found = [...reads.mismatches, denied, permitted.refused, ...mismatches];
  const result = conclude(trial, found, doubts, {
    seen: { ...isolation, ...declines },
    inDoubt,
    couldHide: couldHideIn(trial),
    undecidedValues: permitted.values.undecided,
  });
  if (input.suppose === undefined) return result;
  const done = trial.doubts.operations.filter(({ number }) => doubts.applied.has(number));
  return { ...result, appliedInDoubt: done.map(({ session, sequence }) => ({ session, sequence })) };
}

/** A second replay, once all sums are known, if anything was declined or returned. */
function judgeReplies(trial: Trial, reads: Reads, denied: Mismatches): Seen {
  const isDeclined = trial.sessions.some(({ declinedCount }) => declinedCount > 0);
  const replies = trial.sessions.some(({ log }) => log.reads.length > 0 || log.scans.length > 0);
  if (!isDeclined && !replies) return {};
  const known = isDeclined ? { tables: trial.tables, inTime: new SumsInTime(trial) } : trial;
  const verdicts = { certain: 0, possible: 0, refused: 0 };
  trial.each((replayed, bound, replay) => {
    if (replayed.status === applied) return reads.judge(replayed, bound, replay);
    if (replayed.status !== declined) return undefined;
    const { operation } = bound;
    const verdict = judgeDecline(known, bound, replayed);
    verdicts[verdict] += 1;
    if (verdict !== 'refused') return undefined;
    const { session, sequence, code } = replayed;
    return denied.add(
      () =>
        `operation ${sequence} of session ${session} (${operation.name}): ${operation.reasons[code] ?? 'unknown'}`,
    );
  });
  const { certain, possible } = verdicts;
  return isDeclined ? { declines: { certain, possible } } : {};
}

/** The number of applied operations all of whose sums also have effects of operations in doubt. */
function couldHideIn(trial: Trial): number {
  const { operations } = trial.doubts;
  if (operations.length === 0) return 0;
  const doubtful = new Set(operations.flatMap(({ adds }) => [...adds.keys()]));
  let count = 0;
  trial.each(({ status, values }, { effects }) => {
    if (status !== applied || effects.length === 0) return;
    const hides = effects.every((effect) => {
      // A lost insert leaves a missing row; a value that was set may have been set again.
      if (effect.kind === 'delete') return effect.row.first !== null;
      // A row that was inserted where it was missing may be another's.
      if (effect.kind === 'insert') return effect.ifMissing;
      if (effect.kind === 'set') return true;
      const state = trial.tables[effect.row.table.number];
      const row = state?.rowAt(effect.row.keys, values, 0) ?? -1;
      return state === undefined || row === -1 || doubtful.has(sumOf(state, effect.column, row));
    });
    if (hides) count += 1;
  });
  return count;
}

function conclude(
  trial: Trial,
  found: readonly Mismatches[],
  { applied: appliedNumbers, undecidedGroups, undecidedOperations }: DoubtsFinding,
  {
    seen,
    inDoubt,
    couldHide,
    undecidedValues,
  }: { seen: Seen; inDoubt: number; couldHide: number; undecidedValues: number },
): ReplayResult {
  const { cells, doubts, tables } = trial;
  const kinds = [
    ...tables.flatMap(({ mismatches }) => mismatches),
    doubts.unexplained,
    doubts.halves,
    cells.impossible,
    cells.stale,
    ...found,
  ].filter(({ count }) => count > 0);
  const mismatches = kinds.reduce((sum, { count }) => sum + count, 0);
  if (mismatches === 0 && undecidedGroups === 0 && undecidedValues === 0) {
    const rowsChecked = checkedIn(trial);
    return {
      status: 'passed',
      rowsChecked,
      mismatches: 0,
      inDoubt,
      inDoubtApplied: appliedNumbers.size,
      couldHide,
      ...seen,
      ...statedByTrial(trial),
    };
  }
  const parts = kinds.map(({ count, what }) => `${count} ${what}`);
  if (undecidedGroups > 0) {
    parts.push(
      `${undecidedOperations} operations in doubt, in ${undecidedGroups} groups, of which it cannot be decided which were applied`,
    );
  }
  if (undecidedValues > 0) {
    parts.push(
      `${undecidedValues} values of which it cannot be decided whether an order of the operations permits them all (use more rows or fewer sessions)`,
    );
  }
  return failed(trial, {
    seen,
    inDoubt,
    couldHide,
    mismatches: Math.max(1, mismatches),
    reason: parts.join(', '),
    examples: kinds.flatMap(({ what, examples }) => examples.map((example) => `${what}: ${example}`)),
  });
}

function failed(
  trial: Trial,
  {
    seen,
    ...finding
  }: {
    seen: Seen;
    inDoubt: number;
    couldHide: number;
    mismatches: number;
    reason: string;
    examples: readonly string[];
  },
): ReplayResult {
  const examples = finding.examples.slice(0, 2 * examplesMax);
  return {
    status: 'failed',
    rowsChecked: checkedIn(trial),
    ...finding,
    examples,
    ...seen,
    ...statedByTrial(trial),
  };
}

type Seen = Pick<ReplayFinding, 'isolation' | 'declines'>;

function isolationOf(versions: Collector | null): {
  readonly isolation: Seen;
  readonly mismatches: readonly Mismatches[];
} {
  if (versions === null) return { isolation: {}, mismatches: [] };
  const { mismatches, anomalies, examples } = observe(versions.history);
  const isolation = { operations: versions.operations, anomalies, examples, provoked: true } as const;
  return { isolation: { isolation }, mismatches };
}

function checkedIn({ tables }: Trial): number {
  return tables.reduce((sum, state) => sum + state.rowsChecked, 0);
}

/** What is asserted of each operation, for the share of reads that all sessions logged. */
function statedByTrial(trial: Trial): { asserted: Asserted[]; readsOfEvery: number } {
  const readsOfEvery = trial.sessions
    .map(({ log }) => log.readsOfEvery)
    .reduce((a, b) => (a === 0 || b === 0 ? 0 : Math.max(a, b)), 1);
  const logged = { readsOfEvery, repeated: trial.cells.repeated };
  return {
    asserted: trial.follows.operations.map((each) => statedOf(each, trial.follows, logged)),
    readsOfEvery,
  };
}
