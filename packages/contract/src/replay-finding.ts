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
    };
