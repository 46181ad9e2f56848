import type { RowsFound, TrialResult } from '@fair-bench/results';
import {
  countLosses,
  type FaultCourse,
  faultCourse,
  readOutcomeLog,
  replayOutcomes,
} from '@fair-bench/workload';
import { logClockOf } from '../measure/machine-clock.ts';
import type { Seeded } from '../seed/seed.ts';
import type { Injected } from './injection.ts';

/** A reply that the servers had sent before they were gone is read by then. */
const lateReplyMs = 200;

interface AfterFault {
  readonly seeded: Seeded;
  readonly result: TrialResult;
  readonly injected: Injected;
  /** Why no row can be read; null where they can. */
  readonly gone: string | null;
  /** Whether its servers died of it. */
  readonly isDeadly: boolean;
  readonly signal: AbortSignal;
}

/** The course of a fault in milliseconds from the window's beginning, and what the rows show after it. */
export interface FoundAfterFault {
  readonly course: Omit<FaultCourse, 'firstAppliedUs'> & {
    readonly beganMs: number;
    readonly endedMs: number;
    readonly firstAppliedMs: number | null;
  };
  readonly rows: RowsFound;
}

/** Compares every row with what the acknowledged operations must have done: any choice of those in doubt is allowed. */
export async function rowsAfterFault(after: AfterFault): Promise<FoundAfterFault> {
  const { seeded, result, injected, isDeadly, signal } = after;
  if (result.log === null) throw new Error('load client: it kept no outcome log; nothing can be audited');
  const logs = await readOutcomeLog(result.log);
  const { workload, tables } = seeded;
  const inLog = logClockOf(result.timing);
  const beganUs = inLog(injected.beganMs);
  const input = {
    workload,
    logs,
    scan: (table: number, within: AbortSignal) => tables.scan(table, within),
    // Everything that was outstanding may be in doubt: the solver decides, or says that it cannot.
    inDoubtShareMax: 1,
    signal,
  };
  const silentFromUs = isDeadly ? beganUs + lateReplyMs * 1_000 : Number.POSITIVE_INFINITY;
  const { firstAppliedUs, answeredByTheDead } = faultCourse(logs, { beganUs, silentFromUs });
  const sinceWindowMs = (us: number): number => us / 1_000 - result.timing.warmupMs;
  const rows =
    after.gone === null
      ? await found({ ...input, faultUs: [beganUs, inLog(injected.endedMs)] })
      : { ...unknown, outcome: 'gone' as const, reason: after.gone };
  return {
    course: {
      beganMs: sinceWindowMs(beganUs),
      endedMs: sinceWindowMs(inLog(injected.endedMs)),
      firstAppliedMs: firstAppliedUs === null ? null : sinceWindowMs(firstAppliedUs),
      answeredByTheDead,
    },
    rows,
  };
}

const unknown = { lost: null, doubled: null, rowsUnexplained: 0, couldHide: 0, examples: [] };

async function found(input: Parameters<typeof countLosses>[0]): Promise<RowsFound> {
  const finding = await replayOutcomes(input);
  const { couldHide } = finding;
  if (finding.status === 'passed')
    return { outcome: 'kept', ...unknown, lost: 0, doubled: 0, couldHide, reason: null };
  const { reason, examples, mismatches } = finding;
  // If no row is unexplained, the only problem is what cannot be decided.
  if (examples.length === 0) return { outcome: 'undecided', ...unknown, couldHide, reason };
  const losses = await countLosses(input);
  const outcome = losses.doubled !== null && losses.doubled > 0 ? 'doubled' : 'lost';
  return { outcome, ...losses, rowsUnexplained: mismatches, couldHide, reason, examples };
}
