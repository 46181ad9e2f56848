import type { BatchedOperation, DataPlane, Values } from '@fair-bench/contract';
import type { SessionLog, Slots, WorkloadStream } from '@fair-bench/workload/client';

/** A session and the loop's state for it. */
export interface LoopSession {
  readonly session: DataPlane;
  /** Its number in the trial. */
  readonly number: number;
  /** The numbers of its operations whose acknowledgement is reported. */
  readonly watched: ReadonlySet<number>;
  readonly stream: WorkloadStream;
  readonly log: SessionLog;
  /** Whether its last outcome was the fault of a dead connection. */
  failing: boolean;
}

/** One of the `depth` places of a session, for one request at a time. */
export interface Slot extends BatchedOperation {
  readonly owner: LoopSession;
  /** The slots whose operations go in one request with its own, which is the first; empty where each goes alone. */
  readonly batch: readonly Slot[];
  /** Storage for the arguments of each operation; `values` are those of `operation`. */
  readonly slots: Slots;
  values: Values;
  /** The number of its current operation, and its index in the session's stream. */
  operation: number;
  sequence: number;
  /** When it was sent, and the time from which it is timed, by this thread's clock. */
  sentMs: number;
  fromMs: number;
  busy: boolean;
  settled: number;
  /** Faults in a row. */
  failures: number;
}

/** Starts that were never made: `each` has so many operations. */
export interface Waiting {
  readonly count: number;
  readonly longestMs: number;
  readonly intervalMs: number;
  readonly each: number;
}

/** The due operations of an open loop. */
export interface OfferedLoad {
  /** Operations that fell due in the window. */
  readonly due: number;
  /** Operations started in the window, regardless of when they were due. */
  readonly started: number;
  /** Starts due before the window's end that were never made: the first has waited longest. */
  readonly waiting: Waiting;
}
