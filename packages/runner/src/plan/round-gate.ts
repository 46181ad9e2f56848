/** Rounds that are measured also when there is no time for them: with one there are no intervals. */
const roundsLeast = 2;

/** Tells before each trial of a round (from 0) whether it is still begun; once it says no, it stays with it. */
export type RoundGate = (round: number) => boolean;

/**
 * Ends a run after whole rounds, in time: a round is begun when the longest one so far would end by then.
 *
 * @param endsAtMs on the clock of `now`; undefined lets every round begin.
 */
export function roundGate(
  endsAtMs: number | undefined,
  now: () => number = () => performance.now(),
): RoundGate {
  let begun = -1;
  let begunMs = 0;
  let longestMs = 0;
  let isClosed = false;
  return (round) => {
    if (endsAtMs === undefined || isClosed) return !isClosed;
    if (round === begun) return true;
    const atMs = now();
    if (begun >= 0) longestMs = Math.max(longestMs, atMs - begunMs);
    isClosed = round >= roundsLeast && atMs + longestMs > endsAtMs;
    begun = round;
    begunMs = atMs;
    return !isClosed;
  };
}
