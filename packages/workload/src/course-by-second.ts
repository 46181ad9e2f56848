import { latenciesOf } from './replay/by-operation.ts';
import { neverUs, type SessionOutcomes } from './replay/log-format.ts';
import { Uint32List } from './replay/growing.ts';
import { nothingAt } from './nothing-at.ts';

/** Latencies of what was answered in a second, milliseconds by nearest rank. */
export interface LatencyOfSecond {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What the times of a log say, second by second. */
export interface CourseBySecond {
  /** By whole seconds since the first operation; null where nothing was answered. */
  readonly seconds: readonly (LatencyOfSecond | null)[];
  /** The longest time without a reply in the window, by milliseconds. */
  readonly silence: { readonly atMs: number; readonly ms: number };
}

/** Reads only the times of a window, and draws no operation again; null where the log has none. */
export function courseBySecond(
  logs: readonly SessionOutcomes[],
  [fromMs, untilMs]: readonly [number, number],
): CourseBySecond | null {
  const seconds = Array.from({ length: Math.ceil(untilMs / 1_000) }, () => new Uint32List());
  const firstMs = Math.ceil(fromMs);
  const answered = new Uint8Array(Math.max(0, Math.floor(untilMs) - firstMs));
  let isTimed = false;
  for (const { drawn, times } of logs) {
    const timed = Math.min(drawn, times.length / 2);
    for (let sequence = 0; sequence < timed; sequence += 1) {
      const sentUs = times[2 * sequence] ?? nothingAt(sequence);
      const settledUs = times[2 * sequence + 1] ?? nothingAt(sequence);
      if (settledUs === 0 || settledUs === neverUs) continue;
      isTimed = true;
      const settledMs = Math.floor(settledUs / 1_000);
      if (settledMs < firstMs || settledMs >= untilMs) continue;
      answered[settledMs - firstMs] = 1;
      seconds[Math.floor(settledMs / 1_000)]?.push(settledUs - sentUs);
    }
  }
  if (!isTimed) return null;
  const { at, slots } = longestSilence(answered);
  return { seconds: seconds.map(latencyOf), silence: { atMs: firstMs + at, ms: slots } };
}

function latencyOf(latencies: Uint32List): LatencyOfSecond | null {
  const found = latenciesOf(latencies.view().slice().sort());
  return found && { p50: found.p50, p99: found.p99, max: found.max };
}

/** The longest run of slots that are 0. */
export function longestSilence(answered: Readonly<ArrayLike<number>>): {
  readonly at: number;
  readonly slots: number;
} {
  let [longest, from] = [{ at: 0, slots: 0 }, 0];
  for (let at = 0; at <= answered.length; at += 1) {
    if (at < answered.length && answered[at] === 0) continue;
    if (at - from > longest.slots) longest = { at: from, slots: at - from };
    from = at + 1;
  }
  return longest;
}
