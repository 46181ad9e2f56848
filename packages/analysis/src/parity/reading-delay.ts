import { medianOf } from '@fair-bench/results';
import { appliedWrites } from '../audit/evidence.ts';
import { clockMs } from '../audit/checks/done-at-window-end.ts';
import type { MeasuredTrial } from './evidence.ts';

/** How the count of work done was read in a window, and the operations that could be acknowledged and not done behind that. */
interface ReadingDelay {
  readonly everyMs: number;
  readonly withinMs: number;
  /** A lead kept all the time: as many operations as end between the last replies that a reading counts and its own end. */
  readonly leadKept: number;
  /** A lead of whoever knows the moments of the readings: as many as end between two of them. */
  readonly leadBetween: number;
}

/** Null where the system shows no count. Without a common clock only the reading at the window's end counts. */
function readingDelayOf({
  observed,
  result,
}: Pick<MeasuredTrial, 'observed' | 'result'>): ReadingDelay | null {
  const { committedAtWindowEnd: atEnd, committedInWindow = [] } = observed;
  if (atEnd === null) return null;
  const { windowMs } = result.timing;
  const { counts, slotMs } = result.replySlots;
  // Without slots it is not known what was acknowledged before the window's end.
  const within = counts.length === 0 ? [] : committedInWindow.filter(({ afterMs }) => afterMs >= slotMs);
  const moments = [0, ...within.map(({ afterMs }) => afterMs), windowMs];
  const gaps = moments.slice(1).map((moment, place) => moment - (moments[place] ?? 0));
  const unseenMs = [
    atEnd.readMs,
    ...within.map(({ afterMs, readMs }) => ((afterMs - clockMs) % slotMs) + readMs),
  ];
  const perMs = appliedWrites(result, 'window') / windowMs;
  return {
    everyMs: medianOf(gaps),
    withinMs: Math.max(atEnd.readMs, ...within.map(({ readMs }) => readMs)),
    leadKept: Math.ceil(perMs * Math.min(...unseenMs)),
    leadBetween: Math.ceil(perMs * Math.max(...gaps)),
  };
}

/** The worst of some trials, in words; null where none was read. */
export function describeReadings(trials: readonly MeasuredTrial[]): string | null {
  const delays = trials.flatMap((trial) => readingDelayOf(trial) ?? []);
  if (delays.length === 0) return null;
  const most = (of: (delay: ReadingDelay) => number): number => Math.max(...delays.map(of));
  return (
    `every ${most(({ everyMs }) => everyMs).toFixed(0)} ms, within ${most(({ withinMs }) => withinMs).toFixed(1)} ms; ` +
    `could hide a lead of ${about(most(({ leadKept }) => leadKept))} operations, ` +
    `or of ${about(most(({ leadBetween }) => leadBetween))} between two readings`
  );
}

/** Throughput differs from moment to moment: more digits would say nothing. */
function about(count: number): string {
  return `about ${Number(count.toPrecision(2))}`;
}
