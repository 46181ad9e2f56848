import type { Draw } from '@fair-bench/results';
import { drawOrder, type ChangeOrders, type Combination, reversed } from '@fair-bench/analysis';

/** Orders drawn in vain before it is assumed that no other fits. */
const drawsMax = 400;
/** Up to this many changes every feasible order is measured; beyond it, orders are drawn even without a budget. */
const exactChangesMax = 8;
const cellsMaxBeyond = 256;

/**
 * The masks on feasible orders to measure: all if they fit, otherwise those of as many whole orders as fit. Orders are
 * drawn with equal probability, each followed by its reverse if feasible: a change then has its effect from both
 * ends, where interactions differ most (antithetic sampling; Mitchell et al., "Sampling Permutations for Shapley
 * Value Estimation", JMLR 2022). First come two orders that change the system as late and as early as any drawn one, so
 * that its effect is seen after most and after fewest of the other changes; then orders that change it at these two
 * places: more rounds of few steps say more than few rounds of many. Both ends and one whole order are always
 * included; null when even these do not fit.
 * @param architecture the change between the systems; null within one system.
 */
export function chooseCombinations(
  changeOrders: ChangeOrders,
  fits: (masks: ReadonlySet<Combination>) => boolean,
  draw: Draw,
  architecture: number | null,
): ReadonlySet<Combination> | null {
  const all = new Set(changeOrders.masks);
  const isExact = changeOrders.changes <= exactChangesMax;
  const fitsHere = (masks: ReadonlySet<Combination>): boolean =>
    (isExact || masks.size <= cellsMaxBeyond) && fits(masks);
  if (fitsHere(all)) return all;
  const orders = Array.from({ length: drawsMax }, () => drawOrder(changeOrders, draw) ?? []).flatMap(
    (order) => [order, reversed(order)].filter((path) => path.every((mask) => all.has(mask))),
  );
  const placeOf = (path: readonly Combination[]): Combination | undefined =>
    path.find((mask, index) => (path[index + 1] ?? mask) - mask === 2 ** (architecture ?? -1));
  const byPlace = orders.toSorted((a, b) => changesMade(placeOf(a)) - changesMade(placeOf(b)));
  const ends = [byPlace.at(-1), byPlace[0]].flatMap((path) => (path === undefined ? [] : [path]));
  const places = new Set(ends.map(placeOf));
  const samePlaces = orders.filter((path) => places.has(placeOf(path)));
  let chosen: ReadonlySet<Combination> = new Set();
  for (const path of [...ends, ...samePlaces, ...orders]) {
    const more = new Set([...chosen, ...path]);
    if (more.size > chosen.size && fitsHere(more)) chosen = more;
  }
  return chosen.size === 0 ? null : chosen;
}

/** How many changes have been made. */
function changesMade(mask: Combination = 0): number {
  return mask.toString(2).replaceAll('0', '').length;
}

/**
 * The masks of the headline and the architecture: both ends, and those on either side of each step between the
 * systems. Within one system all of them, because the factors are the whole gap.
 */
export function coreOf(
  masks: ReadonlySet<Combination>,
  full: Combination,
  architecture: number | null,
): ReadonlySet<Combination> {
  if (architecture === null) return masks;
  const bit = 2 ** architecture;
  const steps = [...masks].filter((mask) => masks.has(mask ^ bit));
  return new Set([0, ...steps, full]);
}
