import { type MeanEstimate, type ScalabilityFit, meanWithInterval, sum } from '@fair-bench/results';
import type { SweptPoint } from './swept-curve.ts';

/** The law has three parameters: with fewer measured points nothing would be left to contradict it. */
export const scalabilityPointsMin = 4;

/** How far beyond the largest measured point the law is continued. */
const beyond = [2, 4] as const;

/** X(N) = γN ÷ (1 + α(N − 1) + βN(N − 1)). */
export interface Scalability {
  /** Throughput of one processor. */
  readonly gamma: number;
  /** Contention: the share that does not run in parallel. */
  readonly alpha: number;
  /** Coherency: what every pair costs. */
  readonly beta: number;
}

/**
 * The Universal Scalability Law (Gunther, Guerrilla Capacity Planning, 2007) through the means of a curve over processors. Every
 * figure's 95 % interval comes from fits without one round each (jackknife: Tukey 1958). Null with fewer than four points or
 * two rounds.
 */
export function scalabilityOf(points: readonly SweptPoint[]): ScalabilityFit | null {
  const rounds = Math.min(...points.map(({ tps }) => tps.length));
  if (points.length < scalabilityPointsMin || rounds < 2) return null;
  const fitWithout = (left: number | null): Scalability =>
    fitScalability(
      points.map(({ x, tps }) => {
        const kept = tps.filter((_, round) => round !== left && round < rounds);
        return { x, tps: sum(kept) / kept.length };
      }),
    );
  const whole = fitWithout(null);
  const parts = Array.from({ length: rounds }, (_, round) => fitWithout(round));
  const largest = Math.max(...points.map(({ x }) => x));
  const estimate = (of: (fit: Scalability) => number): MeanEstimate => {
    // Pseudo-values: what each round adds to the estimate.
    const pseudo = parts.map((part) => rounds * of(whole) - (rounds - 1) * of(part));
    const { mean, ci95 } = meanWithInterval(pseudo);
    const around = (end: number): number => Math.max(0, of(whole) + end - mean);
    return { mean: of(whole), ci95: ci95 === null ? null : [around(ci95[0]), around(ci95[1])] };
  };
  return {
    gamma: estimate(({ gamma }) => gamma),
    alpha: estimate(({ alpha }) => alpha),
    beta: estimate(({ beta }) => beta),
    extrapolated: beyond.map((times) => ({
      x: largest * times,
      tps: estimate((fit) => throughputAt(fit, largest * times)),
    })),
  };
}

export function throughputAt({ gamma, alpha, beta }: Scalability, x: number): number {
  return (gamma * x) / (1 + alpha * (x - 1) + beta * x * (x - 1));
}

/**
 * Least squares of the linearised law, N ÷ X = a + b(N − 1) + cN(N − 1) with a = 1 ÷ γ, α = b ÷ a, β = c ÷ a and none of
 * them negative. Relative errors of throughput count alike.
 */
export function fitScalability(points: readonly { readonly x: number; readonly tps: number }[]): Scalability {
  const rows = points.map(({ x, tps }) => ({ weight: tps / x, terms: [1, x - 1, x * (x - 1)] }));
  // Every choice of terms that are not 0: the best of those without a negative one is the constrained optimum.
  const candidates = [[0], [0, 1], [0, 2], [0, 1, 2]].flatMap((used) => {
    const solved = solve(
      used.map((i) =>
        used.map((j) => sum(rows.map(({ weight, terms }) => weight ** 2 * term(terms, i) * term(terms, j)))),
      ),
      used.map((i) => sum(rows.map(({ weight, terms }) => weight * term(terms, i)))),
    );
    if (solved === null || solved.some((value) => value < 0)) return [];
    const [a = 0, b = 0, c = 0] = [0, 1, 2].map((index) => solved[used.indexOf(index)] ?? 0);
    const error = sum(
      rows.map(
        ({ weight, terms }) =>
          (weight * (a * term(terms, 0) + b * term(terms, 1) + c * term(terms, 2)) - 1) ** 2,
      ),
    );
    return [{ a, b, c, error }];
  });
  const best = candidates.reduce((one, other) => (other.error < one.error ? other : one));
  return { gamma: 1 / best.a, alpha: best.b / best.a, beta: best.c / best.a };
}

function term(terms: readonly number[], index: number): number {
  return terms[index] ?? 0;
}

/** Gaussian elimination with pivots; null for a singular matrix. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] | null {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = rows.slice(at).reduce((a, b) => (Math.abs(term(b, at)) > Math.abs(term(a, at)) ? b : a));
    if (Math.abs(term(pivot, at)) < 1e-12) return null;
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(at, 0, pivot);
    for (const row of rows) {
      if (row === pivot) continue;
      const times = term(row, at) / term(pivot, at);
      row.forEach((value, column) => (row[column] = value - times * term(pivot, column)));
    }
  }
  return rows.map((row, index) => term(row, rows.length) / term(row, index));
}
