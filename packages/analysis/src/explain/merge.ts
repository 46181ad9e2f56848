import { type ChangeOrders, changeOrdersOf, type Combination } from './change-orders.ts';

/** Changes that are made at once, by their numbers; most groups have one. */
export type Groups = readonly (readonly number[])[];

export interface GroupedOrders {
  readonly groups: Groups;
  /** Its changes are the groups, its masks those of the groups. */
  readonly changeOrders: ChangeOrders;
  /** The mask of single changes for one of groups. */
  readonly ungrouped: (mask: Combination) => Combination;
}

/**
 * The orders of single changes from one end to the other. Where none is feasible, as few changes as possible are
 * merged into one, which then has one effect. Null when one of the ends is impossible.
 */
export function groupedOrders(
  changes: number,
  isPossible: (mask: Combination) => boolean,
): GroupedOrders | null {
  if (!isPossible(0) || !isPossible(2 ** changes - 1)) return null;
  for (const merged of mergers(changes)) {
    const groups = groupsOf(changes, merged);
    const ungrouped = (mask: Combination): Combination => expand(mask, groups);
    const changeOrders = changeOrdersOf(groups.length, (mask) => isPossible(ungrouped(mask)));
    if (changeOrders.count > 0) return { groups, changeOrders, ungrouped };
  }
  return null;
}

/** Sets of changes to merge: none, then every set of two, of three, … as bits; at last all of them. */
function mergers(changes: number): readonly Combination[] {
  const all = 2 ** changes - 1;
  const sets = Array.from({ length: all + 1 }, (_, set) => set).filter((set) => bitsOf(set) !== 1);
  return sets.toSorted((a, b) => bitsOf(a) - bitsOf(b) || a - b);
}

function groupsOf(changes: number, merged: Combination): Groups {
  const groups: number[][] = [];
  let together: number[] | null = null;
  for (let change = 0; change < changes; change += 1) {
    const isMerged = (merged & (2 ** change)) !== 0;
    if (isMerged && together !== null) together.push(change);
    else groups.push([change]);
    if (isMerged && together === null) together = groups.at(-1) ?? null;
  }
  return groups;
}

function expand(mask: Combination, groups: Groups): Combination {
  let single = 0;
  for (const [index, group] of groups.entries()) {
    if ((mask & (2 ** index)) === 0) continue;
    for (const change of group) single += 2 ** change;
  }
  return single;
}

function bitsOf(set: number): number {
  let count = 0;
  for (let rest = set; rest > 0; rest &= rest - 1) count += 1;
  return count;
}
