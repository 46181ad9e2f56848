import { type Draw, shuffled, splitMix64 } from '@fair-bench/results';

/** Each side of a change has at least so many values. */
const segmentMin = 3;
const permutations = 499;

interface ChangePoint {
  /** The first value after the change. */
  readonly at: number;
  /** Of the permutation test. */
  readonly pValue: number;
}

/**
 * Where a series of values changes its distribution: E-divisive (Matteson & James, "A nonparametric approach for
 * multiple change point analysis of multivariate data", JASA 2014), which MongoDB uses to find regressions (Daly et
 * al., ICPE 2020). Each step splits a segment where the energy distance of its two sides is largest. A split is kept
 * when at most `level` of the permutations within the segments have a distance as large, so a series without a change
 * shows one with a probability of at most `level`. Values of a drifting machine are not exchangeable: there it finds
 * more.
 * @param seed decides the permutations.
 */
export function changePointsOf(values: readonly number[], level: number, seed = 1n): readonly ChangePoint[] {
  const draw = splitMix64(seed);
  const found: ChangePoint[] = [];
  for (;;) {
    const edges = [0, ...found.map(({ at }) => at).toSorted((a, b) => a - b), values.length];
    const segments = edges.slice(1).map((end, index) => values.slice(edges[index], end));
    const splits = segments.map(bestSplit);
    const best = Math.max(...splits.map(({ divergence }) => divergence));
    const segment = splits.findIndex(({ divergence }) => divergence === best);
    if (best <= 0) break;
    const pValue = shareAsLarge(segments, best, level, draw);
    if (pValue > level) break;
    found.push({ at: (edges[segment] ?? 0) + (splits[segment]?.at ?? 0), pValue });
  }
  return found.toSorted((a, b) => a.at - b.at);
}

/** Ends as soon as the share is above the level. */
function shareAsLarge(
  segments: readonly (readonly number[])[],
  best: number,
  level: number,
  draw: Draw,
): number {
  let asLarge = 1;
  const most = level * (permutations + 1);
  for (let permutation = 0; permutation < permutations && asLarge <= most; permutation += 1) {
    const isAsLarge = segments.some((values) => bestSplit(shuffled(values, draw)).divergence >= best);
    if (isAsLarge) asLarge += 1;
  }
  return asLarge / (permutations + 1);
}

interface Split {
  readonly at: number;
  /** The scaled energy distance of the two sides; 0 where there is no room for two. */
  readonly divergence: number;
}

/** One pass over all pairs: the sums of distances are updated from split to split. */
function bestSplit(values: readonly number[]): Split {
  const count = values.length;
  let best: Split = { at: 0, divergence: 0 };
  let [left, right, between] = [0, 0, 0];
  for (let i = 0; i < count; i += 1) for (let j = i + 1; j < count; j += 1) right += distance(values, i, j);
  for (let at = 1; at <= count - segmentMin; at += 1) {
    // Value number at − 1 goes from the right side to the left.
    let [toLeft, toRight] = [0, 0];
    for (let i = 0; i < at - 1; i += 1) toLeft += distance(values, i, at - 1);
    for (let j = at; j < count; j += 1) toRight += distance(values, at - 1, j);
    left += toLeft;
    right -= toRight;
    between += toRight - toLeft;
    if (at < segmentMin) continue;
    const other = count - at;
    const energy =
      (2 * between) / (at * other) - (2 * left) / (at * (at - 1)) - (2 * right) / (other * (other - 1));
    const divergence = ((at * other) / count) * energy;
    if (divergence > best.divergence) best = { at, divergence };
  }
  return best;
}

function distance(values: readonly number[], i: number, j: number): number {
  return Math.abs((values[i] ?? 0) - (values[j] ?? 0));
}

/** For every output. */
export const changePointMethod =
  'Change points by E-divisive (Matteson & James 2014): kept when at most 5 % of permutations, all series of a target ' +
  'together, show as large a change. A machine that drifts from run to run shows more; eight runs are needed to find one.';
