import { pairedRatio, type RoundPair, minDetectableRatio } from '@fair-bench/results';

/** What a target against itself showed. */
export interface AaFindings {
  readonly repetitions: number;
  readonly rounds: number;
  /** Repetitions whose 95 % interval excludes 1. */
  readonly falseAlarms: number;
  /** Standard deviation of the logarithm of a round's ratio, pooled within repetitions. */
  readonly deviation: number;
  /** The minimum detectable ratio of this many rounds. */
  readonly ratioDetectable: number;
  /** The ratio that 95 of 100 repetitions stay within: what was seen, beside what is expected. */
  readonly ratioSeen: number;
}

/**
 * Judges repetitions of an A/A comparison, each of the same number of rounds, as a report would judge them. The
 * smallest difference is the least significant difference of paired rounds (Fisher, "The Design of Experiments",
 * 1935): Student's t for the degrees of one repetition × the pooled deviation ÷ √rounds, on logarithms. Throws a
 * RangeError without repetitions, or for fewer than two rounds.
 */
export function analyseAa(repetitions: readonly (readonly RoundPair[])[]): AaFindings {
  const rounds = repetitions[0]?.length ?? 0;
  if (rounds < 2 || repetitions.some((one) => one.length !== rounds)) {
    throw new RangeError('A/A: needs repetitions of the same two or more rounds');
  }
  const deviation = pooledDeviation(repetitions.map((pairs) => pairs.map(logRatioOf)));
  const estimates = repetitions.map((pairs) => pairedRatio(pairs));
  const distances = estimates.map(({ ratio }) => Math.max(ratio, 1 / ratio)).toSorted((a, b) => a - b);
  return {
    repetitions: repetitions.length,
    rounds,
    falseAlarms: estimates.filter(({ significant }) => significant).length,
    deviation,
    ratioDetectable: minDetectableRatio(deviation, rounds),
    ratioSeen: distances[Math.ceil(0.95 * distances.length) - 1] ?? 1,
  };
}

function logRatioOf({ baseline, contender }: RoundPair): number {
  return Math.log(contender / baseline);
}

function pooledDeviation(groups: readonly (readonly number[])[]): number {
  const squares = groups.flatMap((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => (value - mean) ** 2);
  });
  const degrees = squares.length - groups.length;
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / degrees);
}
