import type { ReplayFinding, Row } from '@fair-bench/contract';
import type { Workload } from '../resolved.ts';
import { judgeDecline } from './declines.ts';
import type { DoubtsFinding } from './doubts.ts';
import { examplesMax, Mismatches } from './growing.ts';
import type { SessionOutcomes } from './log-format.ts';
import { Collector, hasVersions } from './isolation/collect.ts';
import { observe } from './isolation/observe.ts';
import { Permitted } from './permitted.ts';
import { Reads } from './reads.ts';
import { applied, declined } from './session-replay.ts';
import { type Asserted, statedOf } from './stated.ts';
import { SumsInTime } from './sums-in-time.ts';
import { sumOf, Trial } from './trial.ts';

/** With a larger share of its operations in doubt, a trial is void: they could hide losses. */
export const inDoubtShareMaxDefault = 0.01;

interface ReplayInput {
  readonly workload: Workload;
  /** The logs of all sessions of the trial. */
  readonly logs: readonly SessionOutcomes[];
  /** All rows of a table, read over a connection that took no part in the trial: in any order and page size. */
  readonly scan: (table: number, signal: AbortSignal) => AsyncIterable<readonly Row[]>;
  /** Tables that no operation writes and that are read all the same: to see that none did. */
  readonly unwritten?: ReadonlySet<number>;
  /** What the load client counted: the log must have as many. */
  readonly reported?: TrialCounts;
  /** The share of operations in doubt above which the trial is void. */
  readonly inDoubtShareMax?: number;
  readonly signal: AbortSignal;
}

/** What a replay found, and what it can find. */
export type ReplayResult = ReplayFinding & {
  readonly asserted: readonly Asserted[];
  /**
   * Acknowledged operations whose loss would be invisible: all of their rows belong to operations in doubt, so that
   * an applied one looks like another. Any other loss leaves an unexplained row.
   */
  readonly couldHide: number;
  /** Reads of every so many rows were logged: 1, 2, 4, or 0 for none. */
  readonly readsOfEvery: number;
};

/**
 * Draws a trial's operations again and compares their effects with every row of the database, and their replies with
 * the rows that can have existed. Anything undecided fails: a finding passes only when every row, every logged read
 * and every decline is explained. Rejects when a log is corrupt or a table cannot be read. Memory: 8 bytes per row
 * for each column that is added to (16 if a decline rule or a read depends on it), 40 to 60 bytes per inserted row,
 * 24 bytes per setting write and per read; nothing per adding operation. For columns that are set and that rules compare:
 * about 200 bytes per operation on one.
 */
export async function replayOutcomes(input: ReplayInput): Promise<ReplayResult> {
  const { workload, logs, scan, signal } = input;
  const trial = new Trial(workload, logs);
  const counts = countsOf(trial);
  const { drawn, inDoubt } = counts;
  const shareMax = input.inDoubtShareMax ?? inDoubtShareMaxDefault;
  const refusal = disagreement(counts, input.reported) ?? refusalOf(trial, drawn, inDoubt, shareMax);
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
  return conclude(trial, found, doubts, {
    seen: { ...isolation, ...declines },
    inDoubt,
    couldHide: couldHideIn(trial),
    undecidedValues: permitted.values.undecided,
  });
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

/** How the operations of a trial ended, over its whole length. */
export interface TrialCounts {
  readonly applied: number;
  readonly declined: number;
  /** Those in doubt among them. */
  readonly faults: number;
  readonly inDoubt: number;
}

function countsOf({ sessions }: Trial): TrialCounts & { readonly drawn: number } {
  const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
  const drawn = sum(sessions.map(({ log }) => log.drawn));
  const refused = sum(sessions.map(({ declinedCount }) => declinedCount));
  const inDoubt = sum(sessions.map(({ inDoubtCount }) => inDoubtCount));
  const faults = inDoubt + sum(sessions.map(({ faultCount }) => faultCount));
  return { drawn, applied: drawn - refused - faults, declined: refused, faults, inDoubt };
}

/** Why the log is not that of the load client's own counts; null if it is. */
function disagreement(counts: TrialCounts, reported: TrialCounts | undefined): string | null {
  if (reported === undefined) return null;
  const differing = (['applied', 'declined', 'faults', 'inDoubt'] as const).filter(
    (each) => counts[each] !== reported[each],
  );
  if (differing.length === 0) return null;
  const words = differing.map((each) => `${each}: ${counts[each]} in the log, ${reported[each]} counted`);
  return `the outcome log is not that of the operations which the load client counted (${words.join('; ')})`;
}

/** Why a trial is void before anything is compared. */
function refusalOf(trial: Trial, drawn: number, inDoubt: number, shareMax: number): string | null {
  const logs = trial.sessions.map(({ log }) => log);
  if (logs.some(({ overflowed }) => overflowed)) {
    return 'the outcome log was full and writes are missing in it; use a shorter trial';
  }
  const mistakes = logs.reduce((sum, { mistakesCount }) => sum + mistakesCount, 0);
  if (mistakes > 0) {
    const [first = ''] = logs.flatMap((log) => log.mistakes);
    return `${mistakes} replies were invalid, the first: ${first}`;
  }
  if (inDoubt <= drawn * shareMax) return null;
  return `${inDoubt} of ${drawn} operations are in doubt, more than ${shareMax * 100} %: a lost one could hide among them`;
}

function conclude(
  trial: Trial,
  found: readonly Mismatches[],
  { applied: inDoubtApplied, undecidedGroups, undecidedOperations }: DoubtsFinding,
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
      inDoubtApplied,
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
  return { isolation: { isolation: { operations: versions.operations, anomalies, examples } }, mismatches };
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
