import { intervalOf, type LogEstimate, ratioEstimateOf, sampleMean } from '@fair-bench/results';
import type { Logs, Measured } from './fit.ts';
import type { Weights } from './model.ts';

/** A contrast that was measured directly, by the rounds that have all of its cells. */
export interface DirectContrast extends LogEstimate {
  readonly rounds: number;
}

/** A contrast paired by round, with Student's error: what slows a whole round slows both sides of it. */
export function directContrast(measured: Measured, weights: Weights): DirectContrast {
  const values = valuesByRound(measured, weights);
  return values.length === 0
    ? { mean: Number.NaN, error: 0, degrees: 0, rounds: 0 }
    : { ...sampleMean(values), rounds: values.length };
}

function valuesByRound(measured: Measured, weights: Weights): readonly number[] {
  const cells = [...weights].map(([mask, weight]): [Logs, number] => [logsAt(measured, mask), weight]);
  const [first] = cells;
  if (first === undefined) throw new RangeError('explain: a contrast without cells');
  return [...first[0].keys()].flatMap((round) => {
    let sum = 0;
    for (const [logs, weight] of cells) {
      const log = logs.get(round);
      if (log === undefined) return [];
      sum += weight * log;
    }
    return [sum];
  });
}

function logsAt(measured: Measured, mask: number): Logs {
  const logs = measured.get(mask);
  if (logs === undefined) throw new RangeError(`explain: combination ${mask} was not measured`);
  return logs;
}

/** A logarithm as a multiplier. @param family intervals that hold jointly with 95 % (Bonferroni). */
export function multiplierOf(
  estimate: LogEstimate,
  family = 1,
): { multiplier: number; ci95: [number, number] | null } {
  const interval = intervalOf(estimate, 1 - 0.025 / family);
  return {
    multiplier: Math.exp(estimate.mean),
    ci95: interval === null ? null : [Math.exp(interval[0]), Math.exp(interval[1])],
  };
}

/** The probability of an effect as large where there is none; null where its error is unknown. */
export function pValueOf(estimate: LogEstimate): number | null {
  return ratioEstimateOf(estimate).pValue;
}
