import {
  type Comparison,
  type Contrast,
  type RoundPair,
  logRatioOf,
  minDetectableRatio,
  meanOf,
  sum,
} from '@fair-bench/results';
import type { AaRun } from './measure.ts';

/** What a target against itself showed. */
export interface AaFindings {
  /** Comparisons of neighbours, which a run is designed for. */
  readonly contrasts: number;
  /** Those that a report calls different. */
  readonly falseAlarms: number;
  /** The same for all comparisons, in each run's table. */
  readonly comparisons: number;
  readonly falseAlarmsOfAll: number;
  /** Half-widths of the contrasts' 95 % intervals, as ratios: the smallest differences that they detect. */
  readonly halfWidth: number;
  readonly halfWidthMost: number;
  /** Median number of rounds of a contrast. */
  readonly rounds: number;
  /** Standard deviation of the logarithm of a round's ratio, pooled within contrasts. */
  readonly deviation: number;
  /** The least significant difference for this many rounds alone (Fisher, "The Design of Experiments", 1935). */
  readonly ratioDetectable: number;
}

/** Judges runs of one target against itself as their reports do. Throws a RangeError without a contrast of two rounds. */
export function analyseAa(runs: readonly Pick<AaRun, 'plan' | 'summary' | 'trials'>[]): AaFindings {
  const comparisons = runs.flatMap(({ summary }) => summary.comparisons);
  const contrasts = comparisons.filter(({ isContrast, ci95 }) => isContrast === true && ci95 !== null);
  const widths = contrasts.flatMap(({ ci95 }) => (ci95 === null ? [] : [Math.sqrt(ci95[1] / ci95[0])]));
  const pairs = runs
    .flatMap((run) => ratiosOf(run).map(({ rounds }) => rounds))
    .filter(({ length }) => length > 1);
  if (widths.length === 0 || pairs.length === 0) throw new RangeError('A/A: needs contrasts of two rounds');
  const rounds = middle(pairs.map(({ length }) => length));
  const deviation = pooledDeviation(pairs.map((one) => one.map(logRatioOf)));
  return {
    contrasts: contrasts.length,
    falseAlarms: alarmsIn(contrasts),
    comparisons: comparisons.length,
    falseAlarmsOfAll: alarmsIn(comparisons),
    halfWidth: middle(widths),
    halfWidthMost: Math.max(...widths),
    rounds,
    deviation,
    ratioDetectable: minDetectableRatio(deviation, rounds),
  };
}

function alarmsIn(comparisons: readonly Comparison[]): number {
  return comparisons.filter(({ significant }) => significant).length;
}

/** What a run measured of each of its contrasts, round by round. */
export function ratiosOf({
  plan,
  trials,
}: Pick<AaRun, 'plan' | 'trials'>): readonly (Contrast & { readonly rounds: readonly RoundPair[] })[] {
  const cells = Map.groupBy(trials, ({ cellId }) => cellId);
  return (plan.contrasts ?? []).map(({ baseline, contender }) => {
    const others = new Map((cells.get(contender) ?? []).map(({ round, tps }) => [round, tps]));
    const rounds = (cells.get(baseline) ?? []).flatMap(({ round, tps }) => {
      const other = others.get(round);
      return other === undefined ? [] : [{ baseline: tps, contender: other }];
    });
    return { baseline, contender, rounds };
  });
}

/** The value in the middle; of an even number, the upper one of the two. */
export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function pooledDeviation(groups: readonly (readonly number[])[]): number {
  const squares = groups.flatMap((values) => {
    const mean = meanOf(values);
    return values.map((value) => (value - mean) ** 2);
  });
  const degrees = squares.length - groups.length;
  return Math.sqrt(sum(squares) / degrees);
}
