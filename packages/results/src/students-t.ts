import { createRequire } from 'node:module';

type Function = (value: number, degreesOfFreedom: number) => number;

const load: (name: string) => Function = createRequire(import.meta.url);
const loaded = new Map<string, Function>();

/**
 * Student's distribution: `cdf` is the probability of at most `value`, `quantile` the value of that probability. Its library is
 * hundreds of small files, so it is loaded when the first interval is computed, not with every command and load client.
 */
export function studentsT(name: 'cdf' | 'quantile', value: number, degreesOfFreedom: number): number {
  const known = loaded.get(name) ?? load(`@stdlib/stats-base-dists-t-${name}`);
  loaded.set(name, known);
  return known(value, degreesOfFreedom);
}
