import type { DataPlane } from '@fair-bench/contract';
import type { SessionLog, Slots, WorkloadStream } from '@fair-bench/workload';

/** A session with what the loop knows of it. */
export interface LoopSession {
  readonly session: DataPlane;
  readonly stream: WorkloadStream;
  readonly log: SessionLog;
  /** Whether its last outcome was the fault of a dead connection. */
  failing: boolean;
}

/** One of the `depth` places of a session: holds one operation at a time. */
export interface Slot {
  readonly owner: LoopSession;
  /** Places for the arguments of each operation; those of `operation` are in use. */
  readonly slots: Slots;
  /** The number of the operation that it holds, and which of its session's it is. */
  operation: number;
  sequence: number;
  /** When it was sent, and from when it is timed, by this thread's clock. */
  sentMs: number;
  fromMs: number;
  busy: boolean;
  settled: number;
  /** Connection faults in a row. */
  failures: number;
}

/** What fell due in an open loop, whatever became of it. */
export interface OfferedLoad {
  /** Operations that fell due in the window. */
  readonly due: number;
  /** Operations that were started in the window, whenever they were due. */
  readonly started: number;
  /** Operations that were due before the window's end and never started: the first has waited longest by then. */
  readonly waiting: { readonly count: number; readonly longestMs: number; readonly intervalMs: number };
}
