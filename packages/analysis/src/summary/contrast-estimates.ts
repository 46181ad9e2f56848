import {
  type Contrast,
  type RatioEstimate,
  intervalOf,
  ratioEstimateOf,
  sampleMean,
} from '@fair-bench/results';

/** Logarithms of a cell's throughput, by round. */
export type LogsByRound = ReadonlyMap<number, number>;

/** A contrast with what is measured of it so far. */
export interface ContrastEstimate extends Contrast, RatioEstimate {
  readonly rounds: number;
  /** Half of the 95 % interval on the logarithm; infinite with fewer than two rounds. */
  readonly halfWidth: number;
  /** Whether it may count as decided while rounds go on: its 99.9 % interval excludes 1. */
  readonly isDecided: boolean;
}

/**
 * An interim look needs 99.9 % to decide a difference. The last look then keeps the usual 95 % interval, and the
 * overall error stays at 5 % (Haybittle 1971; Peto et al., British Journal of Cancer 34, 1976).
 */
const interimTail = 1 - 0.001 / 2;

/** The state of a run's contrasts; those with an unmeasured cell are left out. */
export function contrastEstimates(
  contrasts: readonly Contrast[],
  logs: ReadonlyMap<string, LogsByRound>,
): readonly ContrastEstimate[] {
  const measured = contrasts.flatMap((contrast) => {
    const differences = differencesOf(logs.get(contrast.baseline), logs.get(contrast.contender));
    return differences.length === 0 ? [] : [{ contrast, differences }];
  });
  return measured.map(({ contrast, differences }): ContrastEstimate => {
    const mean = sampleMean(differences);
    const interval = intervalOf(mean);
    const interim = intervalOf(mean, interimTail);
    return {
      ...contrast,
      ...ratioEstimateOf(mean),
      rounds: differences.length,
      halfWidth: interval === null ? Infinity : (interval[1] - interval[0]) / 2,
      isDecided: interim !== null && (interim[0] > 0 || interim[1] < 0),
    };
  });
}

function differencesOf(baseline: LogsByRound = new Map(), contender: LogsByRound = new Map()): number[] {
  return [...baseline].flatMap(([round, log]) => {
    const other = contender.get(round);
    return other === undefined ? [] : [other - log];
  });
}
