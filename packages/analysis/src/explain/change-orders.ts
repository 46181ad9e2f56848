import type { Draw } from '@fair-bench/results';

/** Which changes between two ends have been made: bit i is change i. 0 is one end, `2 ** changes − 1` the other. */
export type Combination = number;

/**
 * The paths from one end to the other, one change at a time, through possible masks only. An order of the changes is
 * feasible when each of its prefixes is possible.
 */
export interface ChangeOrders {
  readonly changes: number;
  /** Feasible orders; beyond 2 ** 53 not exact to the last digit. */
  readonly count: number;
  /** Masks that lie on a feasible order, ascending. */
  readonly masks: readonly Combination[];
  readonly steps: readonly Step[];
}

/** One change at one point, and the share of all feasible orders that make it there. */
export interface Step {
  readonly before: Combination;
  readonly after: Combination;
  readonly change: number;
  readonly share: number;
}

/** Counts orders by dynamic programming over masks, without listing them: many changes cost little. */
export function changeOrdersOf(changes: number, isPossible: (mask: Combination) => boolean): ChangeOrders {
  const { toHere, fromHere, full } = countOrders(changes, isPossible);
  const count = toHere[full] ?? 0;
  const masks: Combination[] = [];
  const steps: Step[] = [];
  for (let before = 0; before <= full; before += 1) {
    const arriving = toHere[before] ?? 0;
    if (arriving === 0 || (fromHere[before] ?? 0) === 0) continue;
    masks.push(before);
    for (const { change, after } of stepsFrom(before, changes)) {
      const leaving = fromHere[after] ?? 0;
      if (leaving > 0) steps.push({ before, after, change, share: (arriving * leaving) / count });
    }
  }
  return { changes, count, masks, steps };
}

/** A feasible order, as the masks that it passes through; each order is equally likely. Null without one. */
export function drawOrder(changeOrders: ChangeOrders, draw: Draw): readonly Combination[] | null {
  if (changeOrders.count === 0) return null;
  const next = Map.groupBy(changeOrders.steps, ({ before }) => before);
  const path: Combination[] = [0];
  for (let at = 0; ;) {
    const choices = next.get(at) ?? [];
    const step = pick(choices, draw);
    if (step === undefined) return path;
    path.push(step.after);
    at = step.after;
  }
}

/** The order that makes the same changes from last to first; the caller checks whether it is feasible. */
export function reversed(path: readonly Combination[]): readonly Combination[] {
  const full = path.at(-1) ?? 0;
  return path.map((mask) => full - mask).toReversed();
}

interface OrderCounts {
  readonly full: Combination;
  /** Feasible ways from the one end to a mask, and from a mask to the other end. */
  readonly toHere: Float64Array;
  readonly fromHere: Float64Array;
}

function countOrders(changes: number, isPossible: (mask: Combination) => boolean): OrderCounts {
  const full = 2 ** changes - 1;
  const toHere = new Float64Array(full + 1);
  const fromHere = new Float64Array(full + 1);
  const possible = Array.from({ length: full + 1 }, (_, mask) => isPossible(mask));
  toHere[0] = possible[0] === true ? 1 : 0;
  fromHere[full] = possible[full] === true ? 1 : 0;
  // A change only adds a bit, so every path to a mask comes from smaller numbers.
  for (let mask = 0; mask <= full; mask += 1) {
    for (const { after } of stepsFrom(mask, changes)) {
      if (possible[after] === true) toHere[after] = (toHere[after] ?? 0) + (toHere[mask] ?? 0);
    }
  }
  for (let mask = full; mask >= 0; mask -= 1) {
    if (possible[mask] !== true) continue;
    for (const { after } of stepsFrom(mask, changes)) {
      fromHere[mask] = (fromHere[mask] ?? 0) + (fromHere[after] ?? 0);
    }
  }
  return { full, toHere, fromHere };
}

function stepsFrom(
  mask: Combination,
  changes: number,
): { readonly change: number; readonly after: Combination }[] {
  const steps: { change: number; after: Combination }[] = [];
  for (let change = 0; change < changes; change += 1) {
    const bit = 2 ** change;
    if ((mask & bit) === 0) steps.push({ change, after: mask + bit });
  }
  return steps;
}

/** One of the steps from a mask, by the share of all orders that take it. */
function pick(choices: readonly Step[], draw: Draw): Step | undefined {
  const total = choices.reduce((sum, { share }) => sum + share, 0);
  let left = (Number(draw() >> 11n) / 2 ** 53) * total;
  for (const step of choices) {
    left -= step.share;
    if (left < 0) return step;
  }
  return choices.at(-1);
}
