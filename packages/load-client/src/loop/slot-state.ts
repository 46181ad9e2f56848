import type { DataPlane } from '@fair-bench/contract';
import type { SessionLog, Slots, WorkloadStream } from '@fair-bench/workload';

/** A session and the loop's state for it. */
export interface LoopSession {
  readonly session: DataPlane;
  readonly stream: WorkloadStream;
  readonly log: SessionLog;
  /** Whether its last outcome was the fault of a dead connection. */
  failing: boolean;
}

/** One of the `depth` places of a session, for one operation at a time. */
export interface Slot {
  readonly owner: LoopSession;
  /** Storage for the arguments of each operation; those of `operation` are in use. */
  readonly slots: Slots;
  /** The number of its current operation, and its index in the session's stream. */
  operation: number;
  sequence: number;
  /** When it was sent, and the time from which it is timed, by this thread's clock. */
  sentMs: number;
  fromMs: number;
  busy: boolean;
  settled: number;
  /** Connection faults in a row. */
  failures: number;
}

/** The due operations of an open loop. */
export interface OfferedLoad {
  /** Operations that fell due in the window. */
  readonly due: number;
  /** Operations started in the window, regardless of when they were due. */
  readonly started: number;
  /** Operations due before the window's end that were never started: the first has waited longest. */
  readonly waiting: { readonly count: number; readonly longestMs: number; readonly intervalMs: number };
}
