import type { OperationResult } from '@fair-bench/results';
import { type Check, completions, pass, together, type TrialEvidence, fail } from '../evidence.ts';

/** The precision of the clocks that a slot's end and a reading are compared by. */
export const clockMs = 0.1;

/**
 * At the window's end, and at moments in it, the system must have committed everything acknowledged so far. Its own
 * count is read right after, from a source that does not lag. This check does not see a lead that is shorter than the
 * delay of a reading. The canaries see it, unless the liar knows them by their keys.
 */
export const checkDoneAtWindowEnd: Check = (evidence) => {
  const { batch } = evidence.cell;
  const ahead = momentsOf(evidence).find((moment) => moment.count * batch < moment.acknowledged);
  if (ahead === undefined) return pass;
  return fail(
    'acknowledged-ahead',
    `${ahead.acknowledged} operations that write were acknowledged ${ahead.when}, and the system had committed ${ahead.count} transactions${together(evidence.cell)}`,
    'the session, its server or a proxy acknowledges before the work is done',
  );
};

/** A reading of the system's count, and how many operations were certainly acknowledged when it began. */
interface Moment {
  readonly when: string;
  readonly acknowledged: number;
  readonly count: number;
}

export function momentsOf({
  observed,
  result,
}: Pick<TrialEvidence, 'observed' | 'result'>): readonly Moment[] {
  const { committedAtWindowEnd: atEnd, committedInWindow = [] } = observed;
  const acknowledged = acknowledgedAtWindowEnd(result.operations);
  return [
    ...(atEnd === null ? [] : [{ when: 'when the window ended', acknowledged, count: atEnd.count }]),
    ...committedInWindow.map(({ afterMs, count }) => ({
      when: `${afterMs.toFixed(1)} ms after the window's beginning`,
      acknowledged: acknowledged - laterThan(afterMs, result),
      count,
    })),
  ];
}

/** At most this many operations were acknowledged in the window after the last slot of replies that had ended by then. */
function laterThan(afterMs: number, { window, replySlots }: TrialEvidence['result']): number {
  const { counts, slotMs } = replySlots;
  const ended = Math.max(0, Math.floor((afterMs - clockMs) / slotMs));
  return completions(window) - counts.slice(0, ended).reduce((sum, count) => sum + count, 0);
}

/** Histograms hold what completed from the window's beginning to the drain's end. */
export function acknowledgedAtWindowEnd(operations: readonly OperationResult[]): number {
  return operations
    .filter(({ writes }) => writes)
    .reduce((sum, { total, window, latency }) => {
      const drained = Math.max(0, latency.applied.count - window.applied);
      return sum + total.applied - drained;
    }, 0);
}
