import { type Crossover, pairedRatio } from '@fair-bench/results';
import type { Scale } from './scale.ts';
import type { SweptCurve } from './swept-curve.ts';

/** Two curves at one value of the parameter. */
interface Meeting {
  readonly x: number;
  /** Logarithm of the ratio first ÷ second. */
  readonly logRatio: number;
  /** 1: the first is faster; −1: the second is; 0: the rounds do not decide. */
  readonly winner: -1 | 0 | 1;
}

/**
 * Where the ranking of two targets flips: between two values with significant, opposite winners (95 %
 * interval of the paired ratio, and beyond the noise floor). The place is interpolated on the logarithm of the
 * ratio, linearly on the scale of the sweep; the share is of the range that both were measured in.
 *
 * @param noiseRatio differences up to this ratio are noise; 1 when nothing is known.
 */
export function crossoversOf(
  first: SweptCurve,
  second: SweptCurve,
  scale: Scale,
  noiseRatio: number,
): readonly Crossover[] {
  const meetings = meetingsOf(first, second, noiseRatio);
  const decided = meetings.filter((meeting) => meeting.winner !== 0);
  const flips = decided.slice(1).flatMap((after, index) => {
    const before = decided[index];
    if (before === undefined || before.winner === after.winner) return [];
    return [{ before, after, x: crossing(meetings, before, after, scale) }];
  });
  const firstFasterShare = shareOf(meetings, flips, scale);
  return flips.map(({ before, after, x }) => ({
    targets: [first.target, second.target],
    between: [before.x, after.x],
    x,
    firstFasterShare,
  }));
}

function meetingsOf(first: SweptCurve, second: SweptCurve, noiseRatio: number): readonly Meeting[] {
  return first.points.flatMap(({ x, tps }) => {
    const other = second.points.find((point) => point.x === x);
    if (other === undefined) return [];
    const rounds = tps.map((contender, round) => ({ contender, baseline: other.tps[round] ?? Number.NaN }));
    const { ratio, significant } = pairedRatio(rounds);
    const isSignificant = significant && Math.max(ratio, 1 / ratio) > noiseRatio;
    return [{ x, logRatio: Math.log(ratio), winner: isSignificant ? (ratio > 1 ? 1 : -1) : 0 }];
  });
}

/** The zero of the log ratio at its first change of sign between two decided points. */
function crossing(meetings: readonly Meeting[], before: Meeting, after: Meeting, scale: Scale): number {
  const between = meetings.slice(meetings.indexOf(before), meetings.indexOf(after) + 1);
  const index = between.findIndex(({ logRatio }) => Math.sign(logRatio) !== Math.sign(before.logRatio));
  const [left, right] = [between[index - 1] ?? before, between[index] ?? after];
  const share = left.logRatio / (left.logRatio - right.logRatio);
  const [from, to] = [scale.toScale(left.x), scale.toScale(right.x)];
  return scale.fromScale(from + share * (to - from));
}

/** Share of the common range in which the first is ahead, from flip to flip. */
function shareOf(
  meetings: readonly Meeting[],
  flips: readonly { readonly before: Meeting; readonly x: number }[],
  scale: Scale,
): number {
  const [start, end] = [meetings[0]?.x ?? 0, meetings.at(-1)?.x ?? 0];
  const edges = [start, ...flips.map(({ x }) => x), end].map(scale.toScale);
  const startsAhead = flips[0]?.before.winner === 1;
  const [low = 0, high = 0] = [edges[0], edges.at(-1)];
  const ahead = edges.slice(1).reduce((sum, edge, index) => {
    const isAhead = index % 2 === 0 ? startsAhead : !startsAhead;
    return isAhead ? sum + edge - (edges[index] ?? edge) : sum;
  }, 0);
  return high > low ? Math.min(1, ahead / (high - low)) : 0;
}
