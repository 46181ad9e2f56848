import type { ReplayFinding, Row } from '@fair-bench/contract';
import type { Workload } from '../resolved.ts';
import type { TrialCounts } from './counts.ts';
import type { SessionOutcomes } from './log-format.ts';
import type { Suppose } from './session-replay.ts';
import type { OperationInDoubt } from './doubts.ts';
import type { Asserted } from './stated.ts';

/** With a larger share of its operations in doubt, a trial is void: they could hide losses. */
export const inDoubtShareMaxDefault = 0.01;

export interface ReplayInput {
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
  /** The timed window, microseconds of the log's clock. */
  readonly windowUs?: readonly [begin: number, end: number];
  /** Another history than the logged one, to find out which explains the rows; a finding by it is no audit. */
  readonly suppose?: Suppose;
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
  /** Of another history: the operations in doubt that were applied, twice if so; absent where functions are carried out again. */
  readonly appliedInDoubt?: readonly Pick<OperationInDoubt, 'session' | 'sequence'>[];
};
