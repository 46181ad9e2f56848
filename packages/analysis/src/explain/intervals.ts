import type { Interval } from '@fair-bench/contract';
import { splitMix64, tFactor } from '@fair-bench/results';

const resamples = 1000;

/** Weighted sums of cells' means: what an effect is. */
export interface LinearStatistics {
  /** For each cell its value in each round, always as many. */
  readonly cells: readonly (readonly number[])[];
  /** For each statistic the weight of each cell. The weights of a statistic add up to 0: it is of differences. */
  readonly weights: readonly (readonly number[])[];
}

/**
 * Intervals for several statistics of one set of cells, that hold together with 95 %: whoever reads all the
 * factors of a gap makes several statements at once, so that each is held to 5 % ÷ their number (Bonferroni).
 * Null for all of them with fewer than two rounds, or two cells.
 *
 * Standard errors are bootstrapped over rounds (Efron 1979). What a round did to all of its cells is taken out
 * first: it is in no difference between them. Then each cell's rounds are drawn anew with replacement. A
 * bootstrap over n rounds is too narrow by √((n − 1) ÷ n) and its percentiles by more, so that the error is
 * widened by that, by what taking the round out took, and by Student's factor (Hesterberg, "What Teachers Should
 * Know About the Bootstrap", 2015), whose degrees of freedom are those of the cells together (Satterthwaite 1946).
 *
 * @param seed the same gives the same intervals.
 */
export function jointIntervals(
  { cells, weights }: LinearStatistics,
  seed: bigint,
): readonly (Interval | null)[] {
  const rounds = cells[0]?.length ?? 0;
  const count = cells.length;
  if (rounds < 2 || count < 2) return weights.map(() => null);
  const residuals = withoutRounds(cells);
  const resampled = resample(residuals, weights, seed);
  const widening = Math.sqrt((rounds / (rounds - 1)) * (count / (count - 1)));
  const tail = 1 - 0.025 / weights.length;
  return weights.map((ofCells, index): Interval => {
    const mean = sumOf(cells.map((values, cell) => (ofCells[cell] ?? 0) * meanOf(values)));
    const error = widening * deviationOf(resampled.map((one) => one[index] ?? 0));
    const degrees = degreesOf(residuals, ofCells);
    const half = error === 0 ? 0 : tFactor(degrees, tail) * error;
    return [mean - half, mean + half];
  });
}

/** Each value without its round's mean over all cells, and without its cell's mean. */
function withoutRounds(cells: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const [first = []] = cells;
  const ofRound = first.map((_, round) => meanOf(cells.map((values) => values[round] ?? 0)));
  return cells.map((values) => {
    const differences = values.map((value, round) => value - (ofRound[round] ?? 0));
    const mean = meanOf(differences);
    return differences.map((value) => value - mean);
  });
}

/** The statistics of rounds drawn anew, cell by cell. */
function resample(
  residuals: readonly (readonly number[])[],
  weights: readonly (readonly number[])[],
  seed: bigint,
): readonly (readonly number[])[] {
  const draw = splitMix64(seed);
  const anew = (values: readonly number[]): number =>
    // 53 bits, as the numbers of this language hold: the bias is below rounds ÷ 2 ** 53.
    meanOf(values.map(() => values[Math.floor((Number(draw() >> 11n) / 2 ** 53) * values.length)] ?? 0));
  return Array.from({ length: resamples }, () => {
    const means = residuals.map(anew);
    return weights.map((ofCells) => sumOf(means.map((mean, cell) => (ofCells[cell] ?? 0) * mean)));
  });
}

/** Degrees of freedom of a weighted sum of cells, each of which has its own variance. */
function degreesOf(residuals: readonly (readonly number[])[], ofCells: readonly number[]): number {
  const count = residuals.length;
  const rounds = residuals[0]?.length ?? 0;
  const parts = residuals.map((values, cell) => (ofCells[cell] ?? 0) ** 2 * sumOf(values.map((v) => v ** 2)));
  const squares = sumOf(parts.map((part) => part ** 2));
  const ofOne = ((rounds - 1) * (count - 1)) / count;
  return squares === 0 ? ofOne : Math.max(1, (sumOf(parts) ** 2 / squares) * ofOne);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}
