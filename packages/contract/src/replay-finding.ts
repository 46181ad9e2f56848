import type { IsolationFinding } from './isolation.ts';

/** Operations that were rightly declined: in every state that they can have found, or in some of them. */
export interface DeclinesFinding {
  readonly certain: number;
  readonly possible: number;
}

/** Whether a condition of the workload holds in the tables after a trial; `fact` says why not, and is null where it holds. */
export interface ConditionFinding {
  readonly name: string;
  readonly fact: string | null;
}

/** One operation of a workload in the timed window, from its log. */
export interface OperationFinding {
  readonly operation: string;
  /** What people call it, and for how long 90 of a hundred may take: as the workload says. */
  readonly as?: string;
  readonly p90MsMax?: number;
  readonly applied: number;
  readonly declined: number;
  readonly faults: number;
  /** Of all that ended in the window, from sending to end; null without any. */
  readonly latencyMs: {
    readonly mean: number;
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
  } | null;
}

/** What the replay of a trial's operations found; `rowsChecked` of all tables. */
export type ReplayFinding =
  | {
      readonly status: 'passed';
      readonly rowsChecked: number;
      readonly mismatches: 0;
      /** Operations in doubt, and how many of them the database shows as applied. */
      readonly inDoubt: number;
      readonly inDoubtApplied: number;
      /** What the versions of a workload that has them say of isolation. */
      readonly isolation?: IsolationFinding;
      /** Absent where nothing was declined. */
      readonly declines?: DeclinesFinding;
      /** Of a workload that states conditions. */
      readonly conditions?: readonly ConditionFinding[];
      /** Of a workload whose operations have times. */
      readonly operations?: readonly OperationFinding[];
    }
  | {
      readonly status: 'failed';
      readonly rowsChecked: number;
      readonly mismatches: number;
      readonly inDoubt: number;
      readonly reason: string;
      /** The first few differences, for the report. */
      readonly examples: readonly string[];
      readonly isolation?: IsolationFinding;
      readonly declines?: DeclinesFinding;
      /** Of a workload that states conditions. */
      readonly conditions?: readonly ConditionFinding[];
      /** Of a workload whose operations have times. */
      readonly operations?: readonly OperationFinding[];
    };
