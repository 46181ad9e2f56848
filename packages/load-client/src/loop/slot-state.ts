import type { OperationStream, Session } from '@fair-bench/contract';

/** A session with what the loop knows of it. */
export interface LoopSession<Operation> {
  readonly session: Session<Operation>;
  readonly stream: OperationStream<Operation>;
  /** Whether its last outcome was the fault of a dead connection. */
  failing: boolean;
}

/** One of the `depth` places of a session: holds one operation at a time. */
export interface Slot<Operation> {
  readonly owner: LoopSession<Operation>;
  readonly operation: Operation;
  /** When it was sent, and from when it is timed, by this thread's clock. */
  sentMs: number;
  fromMs: number;
  busy: boolean;
  settled: number;
  /** Connection faults in a row. */
  failures: number;
}
