import type { ChangeOrders, Combination } from './change-orders.ts';

/** The effect of one change on the logarithm of throughput. */
export interface LogEffect {
  /** Its Shapley value: the mean of its effect over all feasible orders. */
  readonly mean: number;
  /** The smallest and the largest effect that it has in any feasible order. */
  readonly min: number;
  readonly max: number;
}

/**
 * Divides a gap among the changes that cause it. Each change gets its mean effect on the logarithm over all feasible
 * orders (Shapley 1953; where only some orders are feasible, Faigle & Kern 1992). The means add up to the whole gap
 * whatever the interactions, and no order is preferred.
 * @param changeOrders the orders; it must have one.
 * @param logAt the logarithm of throughput at each mask on a feasible order.
 */
export function attribute(
  changeOrders: ChangeOrders,
  logAt: (mask: Combination) => number,
): readonly LogEffect[] {
  if (changeOrders.count === 0) throw new RangeError('attribution: no feasible order');
  const steps = Map.groupBy(changeOrders.steps, ({ change }) => change);
  return Array.from({ length: changeOrders.changes }, (_, change) => {
    const effect = { mean: 0, min: Infinity, max: -Infinity };
    for (const { before, after, share } of steps.get(change) ?? []) {
      const gain = logAt(after) - logAt(before);
      effect.mean += share * gain;
      effect.min = Math.min(effect.min, gain);
      effect.max = Math.max(effect.max, gain);
    }
    return effect;
  });
}

/** The weight of each mask's logarithm in the mean effect of each change; attribution is linear in them. */
export function weightsOf(changeOrders: ChangeOrders): readonly ReadonlyMap<Combination, number>[] {
  const weights = Array.from({ length: changeOrders.changes }, () => new Map<Combination, number>());
  for (const { before, after, change, share } of changeOrders.steps) {
    const ofChange = weights[change];
    ofChange?.set(before, (ofChange.get(before) ?? 0) - share);
    ofChange?.set(after, (ofChange.get(after) ?? 0) + share);
  }
  return weights;
}
