import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@fair-bench/contract';
import {
  appliedSlotMs,
  type MeasuredFaultTrial,
  type RowsFound,
  type TrialResult,
} from '@fair-bench/results';
import { countLosses, faultCourse, readOutcomeLog, replayOutcomes } from '@fair-bench/workload';
import { logClockOf } from '../probes/machine-clock.ts';
import { bounded, type Seeded } from '../seed/seed.ts';
import type { Injected } from './injection.ts';

/** A reply that the servers had sent before they were gone is read by then. */
const lateReplyMs = 200;
const auditTimeoutMs = 120_000;
const countTimeoutMs = 90_000;
/** A connection of before the fault is lost when it is used; the next one is new. */
const againMs = 1_000;

interface AfterFault {
  readonly seeded: Seeded;
  readonly result: TrialResult;
  readonly injected: Injected;
  /** Why no row can be read; null where they can. */
  readonly gone: string | null;
  /** Whether its servers died of it. */
  readonly isDeadly: boolean;
  /** Of the run. */
  readonly signal: AbortSignal;
}

/** The course of a fault in milliseconds from the window's beginning, and what the rows show after it. */
export async function rowsAfterFault(
  after: AfterFault,
): Promise<Pick<MeasuredFaultTrial, 'course' | 'rows'>> {
  const { seeded, result, injected, isDeadly, gone, signal } = after;
  if (result.log === null) throw new Error('load client: it kept no outcome log; nothing can be audited');
  const logs = await readOutcomeLog(result.log);
  const { workload, tables } = seeded;
  const inLog = logClockOf(result.timing);
  const [beganUs, endedUs] = [inLog(injected.beganMs), inLog(injected.endedMs)];
  const inForceUs = inLog(injected.inForceMs);
  const silentFromUs = isDeadly ? inForceUs + lateReplyMs * 1_000 : Number.POSITIVE_INFINITY;
  const { firstAppliedUs, ...found } = faultCourse(logs, { inForceUs, silentFromUs });
  const sinceWindowMs = (us: number): number => us / 1_000 - result.timing.warmupMs;
  const firstMs = firstAppliedUs === null ? null : sinceWindowMs(firstAppliedUs);
  const input = {
    workload,
    logs,
    scan: (table: number, within: AbortSignal) => tables.scan(table, within),
    // Everything that was outstanding may be in doubt: the solver decides, or says that it cannot.
    inDoubtShareMax: 1,
    faultUs: [beganUs, endedUs] as const,
  };
  return {
    course: {
      ...found,
      beganMs: sinceWindowMs(beganUs),
      inForceMs: sinceWindowMs(inForceUs),
      endedMs: sinceWindowMs(endedUs),
      firstAppliedMs: found.isTimed ? firstMs : firstSlotMs(result, sinceWindowMs(inForceUs)),
    },
    rows: gone === null ? await rowsFound(input, signal) : { ...unknown, outcome: 'gone', reason: gone },
  };
}

/** The end of the first slot after a time in which something was applied; null without one. */
function firstSlotMs({ appliedSlots }: TrialResult, fromMs: number): number | null {
  const slot = appliedSlots.findIndex((applied, place) => place * appliedSlotMs >= fromMs && applied > 0);
  return slot === -1 ? null : (slot + 1) * appliedSlotMs;
}

const unknown = { lost: null, doubled: null, rowsUnexplained: 0, couldHide: 0, examples: [] };

type Input = Omit<Parameters<typeof countLosses>[0], 'signal'>;

async function rowsFound(input: Input, signal: AbortSignal): Promise<RowsFound> {
  const replay = async () => await replayOutcomes({ ...input, signal: bounded(signal, auditTimeoutMs) });
  let finding: Awaited<ReturnType<typeof replay>>;
  try {
    finding = await replay().catch(async () => {
      await sleep(againMs, undefined, { signal });
      return await replay();
    });
  } catch (error) {
    signal.throwIfAborted();
    return { ...unknown, outcome: 'gone', reason: `its rows cannot be read: ${messageOf(error)}` };
  }
  const { couldHide } = finding;
  if (finding.status === 'passed')
    return { outcome: 'kept', ...unknown, lost: 0, doubled: 0, couldHide, reason: null };
  const { reason, examples, mismatches } = finding;
  // If no row is unexplained, the only problem is what cannot be decided.
  if (examples.length === 0) return { outcome: 'undecided', ...unknown, couldHide, reason };
  // Rows that differ say enough where there is no time to count them.
  const losses = await countLosses({ ...input, signal: bounded(signal, countTimeoutMs) }).catch(() => {
    signal.throwIfAborted();
    return { lost: null, doubled: null };
  });
  return { outcome: outcomeOf(losses), ...losses, rowsUnexplained: mismatches, couldHide, reason, examples };
}

function outcomeOf({ lost, doubled }: Awaited<ReturnType<typeof countLosses>>): RowsFound['outcome'] {
  if (lost !== null && lost > 0) return 'lost';
  return doubled !== null && doubled > 0 ? 'doubled' : 'differs';
}
