import type { Figure } from '@fair-bench/results';

/** A figure that should be at least `least`. */
export function atLeast(name: string, value: number, unit: string, least: number, note: string): Figure {
  return { name, value: round(value), unit, goal: `≥ ${least}`, met: value >= least, note };
}

/** A figure that should be at most `most`. */
export function atMost(name: string, value: number, unit: string, most: number, note: string): Figure {
  return { name, value: round(value), unit, goal: `≤ ${most}`, met: value <= most, note };
}

/** A figure that could not be had, with the reason. */
export function missing(name: string, unit: string, goal: string, reason: string): Figure {
  return { name, value: null, unit, goal, met: false, note: reason };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
