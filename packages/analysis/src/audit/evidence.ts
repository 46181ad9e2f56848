import type { ReplayFinding, Facts, InFlight, WorkCounters } from '@fair-bench/contract';
import type {
  Cell,
  HostConditions,
  Loop,
  Observed,
  OutcomeCounts,
  TrialResult,
  Warning,
} from '@fair-bench/results';

/** All evidence of one trial when it is judged. It contains no opinion. */
export interface TrialEvidence {
  readonly cell: Cell;
  readonly loop: Loop;
  /** A larger share of faults in the window voids the trial. */
  readonly faultsShareMax: number;
  readonly result: TrialResult;
  readonly windowMsPlanned: { readonly least: number; readonly most: number };
  /** How long the window was ordered to last; null if the trial was stopped before. */
  readonly windowMsOrdered: number | null;
  /** How long after the window's beginning and end, as the load client states them, the runner heard of it; null if it did not. */
  readonly windowHeard: {
    /** Null where their clocks cannot be compared; then the end is that of a window which began when the runner heard of it. */
    readonly beginAfterMs: number | null;
    readonly endAfterMs: number;
    /** By how much the runner's own event loop was late at most meanwhile. */
    readonly runnerLateMs: number;
  } | null;
  /** The machine in the window; null where the system does not say. */
  readonly host: HostConditions | null;
  /** What the replay found when it compared the database with the outcome log. */
  readonly state: ReplayFinding;
  readonly factsBefore: Facts;
  readonly factsAfter: Facts;
  readonly countersBefore: WorkCounters;
  readonly countersAfter: WorkCounters;
  readonly inFlight: InFlight | null;
  /** What another connection saw while the load ran. */
  readonly observed: Observed;
  readonly storage: {
    readonly fsyncPerSecond: number;
    /** Flush requests that the data directory's device completed from the first operation to the drain's end. */
    readonly deviceFlushes: number | null;
    /** How many of them others would have made in that time, by the calmer of the quiet moments before and after it; null where one was not seen. */
    readonly quietFlushes: number | null;
  } | null;
  /** Bytes that the target's processes wrote to disks meanwhile; null where the kernel does not say, or they are not ours. */
  readonly writtenBytes: number | null;
}

/** The result of a check: a void removes the trial's number, a warning stays beside it. */
export type Judgement = { readonly severity: 'void' | 'warning' } & Warning;

/** One audit rule: a pure function of the evidence. */
export type Check = (evidence: TrialEvidence) => readonly Judgement[];

export function fail(code: string, message: string, remedy: string): readonly Judgement[] {
  return [{ severity: 'void', code, message, remedy }];
}

export function warn(code: string, message: string, remedy: string): readonly Judgement[] {
  return [{ severity: 'warning', code, message, remedy }];
}

export const pass: readonly Judgement[] = [];

/** Sums a map of counts by reason or by code. */
export function sumCounts(counts: Readonly<Partial<Record<string, number>>>): number {
  return Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** The most operations that the cell can have outstanding: each request has those of a batch. */
export function outstandingMaxOf({
  sessions,
  depth,
  batch,
}: Pick<Cell, 'sessions' | 'depth' | 'batch'>): number {
  return sessions * depth * batch;
}

/** What a transaction may have, in words, where that is more than one operation. */
export function together({ batch }: Pick<Cell, 'batch'>): string {
  return batch === 1 ? '' : `, each of at most ${batch} operations`;
}

/** Applied operations that write: each of them commits; one that only reads need not. */
export function appliedWrites(
  { operations }: Pick<TrialResult, 'operations'>,
  phase: 'window' | 'total',
): number {
  return operations.reduce((sum, operation) => sum + (operation.writes ? operation[phase].applied : 0), 0);
}

/** Everything that completed, whatever its outcome. */
export function completions(counts: OutcomeCounts): number {
  return counts.applied + sumCounts(counts.declined) + sumCounts(counts.faults);
}
