import { type LogEstimate, meanOf, sum } from './statistics.ts';

/** The mean over runs of the same measurement, each with its own error. */
export interface MeanOverRuns extends LogEstimate {
  /** Standard deviation from run to run that the runs' own errors do not explain. */
  readonly between: number;
}

/**
 * Random-effects mean of several runs' estimates, whose truths differ from run to run (DerSimonian & Laird 1986), with the
 * interval of Hartung, Knapp, Sidik and Jonkman: Student's, from the weighted spread of the runs (IntHout, Ioannidis & Borm,
 * BMC Medical Research Methodology 14:25, 2014). Runs that agree by luck would make it arbitrarily narrow, so it is never
 * narrower than by the runs' own errors and the same t (Knapp & Hartung 2003; Röver, Knapp & Friede 2015). Without runs
 * a RangeError; a single run has no error here, because nothing is known between runs.
 */
export function meanOverRuns(runs: readonly Pick<LogEstimate, 'mean' | 'error'>[]): MeanOverRuns {
  if (runs.length === 0) throw new RangeError('mean over runs: no run');
  const degrees = runs.length - 1;
  if (degrees === 0) return { mean: meanOf(runs.map(({ mean }) => mean)), error: 0, degrees, between: 0 };
  const fixed = weightedMean(runs, 0);
  const scale = fixed.weight - sum(fixed.weights.map((weight) => weight ** 2)) / fixed.weight;
  const variance = Math.max(0, (fixed.spread - degrees) / scale);
  const { mean, weight, spread } = weightedMean(runs, variance);
  const error = Math.sqrt(Math.max(1, spread / degrees) / weight);
  return { mean, error, degrees, between: Math.sqrt(variance) };
}

/** A run without any spread would have an infinite weight. */
const errorMin = 1e-6;

function weightedMean(runs: readonly Pick<LogEstimate, 'mean' | 'error'>[], variance: number) {
  const weights = runs.map(({ error }) => 1 / (Math.max(errorMin, error) ** 2 + variance));
  const weight = sum(weights);
  const mean = sum(runs.map((run, index) => (weights[index] ?? 0) * run.mean)) / weight;
  const spread = sum(runs.map((run, index) => (weights[index] ?? 0) * (run.mean - mean) ** 2));
  return { weights, weight, mean, spread };
}
