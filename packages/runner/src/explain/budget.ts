import type { Draw } from '@fair-bench/results';
import { drawOrder, type Lattice, type Mask, reversed } from '@fair-bench/analysis';

/** Orders that are drawn before it is taken that no other fits. */
const drawsMax = 400;
/** Up to so many changes every feasible order counts; beyond, orders are drawn also without a budget. */
export const exactChangesMax = 8;
const cellsMaxBeyond = 256;

/**
 * The masks to measure of a lattice: all of them where they fit, or those of as many whole orders as fit. The
 * orders are drawn with equal chance, each followed by its reverse where that is feasible: a change then has
 * its effect from both ends, which is where interactions lie furthest apart (antithetic sampling; Mitchell et
 * al., "Sampling Permutations for Shapley Value Estimation", JMLR 2022). Both ends and one whole order are
 * always among them; null when even these do not fit.
 */
export function chooseMasks(
  lattice: Lattice,
  fits: (masks: ReadonlySet<Mask>) => boolean,
  draw: Draw,
): ReadonlySet<Mask> | null {
  const all = new Set(lattice.masks);
  const isExact = lattice.changes <= exactChangesMax;
  const fitsHere = (masks: ReadonlySet<Mask>): boolean =>
    (isExact || masks.size <= cellsMaxBeyond) && fits(masks);
  if (fitsHere(all)) return all;
  let chosen: ReadonlySet<Mask> = new Set();
  for (let drawn = 0; drawn < drawsMax; drawn += 1) {
    const order = drawOrder(lattice, draw) ?? [];
    for (const path of [order, reversed(order)]) {
      const more = new Set([...chosen, ...path]);
      if (path.every((mask) => all.has(mask)) && fitsHere(more)) chosen = more;
    }
  }
  return chosen.size === 0 ? null : chosen;
}
