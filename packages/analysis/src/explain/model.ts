import { changesMade, type Combination } from './space.ts';

/** A column of the model: the mean, a main effect, or an interaction of two groups; it is 1 where all of its groups are changed. */
export type Term = readonly number[];

/**
 * The terms of a model with main effects and two-factor interactions (Jain 1991, ch. 17; Box, Hunter & Hunter 2005, ch. 5)
 * that these combinations can tell apart: a later term that is a sum of earlier ones is left out.
 */
export function termsOf(groups: number, masks: readonly Combination[]): readonly Term[] {
  const single = Array.from({ length: groups }, (_, group) => [group]);
  const pairs = single.flatMap(([a = 0]) => single.slice(a + 1).map(([b = 0]) => [a, b]));
  return independent([[], ...single, ...pairs], masks);
}

/** The row of a combination: the value of each term. */
export function rowOf(mask: Combination, terms: readonly Term[]): number[] {
  return terms.map((term) => (term.every((group) => (mask & (2 ** group)) !== 0) ? 1 : 0));
}

/** Those terms that are no sum of earlier ones over these combinations (modified Gram–Schmidt). */
export function independent(terms: readonly Term[], masks: readonly Combination[]): readonly Term[] {
  const basis: number[][] = [];
  return terms.filter((term) => {
    const column = masks.map((mask) => rowOf(mask, [term])[0] ?? 0);
    const length = norm(column);
    for (const one of basis) {
      const along = dot(one, column);
      for (const index of column.keys()) column[index] = (column[index] ?? 0) - along * (one[index] ?? 0);
    }
    const left = norm(column);
    if (length === 0 || left < 1e-7 * length) return false;
    basis.push(column.map((value) => value / left));
    return true;
  });
}

/** A sum of the logarithms of throughput of combinations, each with its weight; the weights of a contrast add up to 0. */
export type Weights = ReadonlyMap<Combination, number>;

/** The mean of the differences after − before of these pairs. */
export function meanDifference(pairs: readonly (readonly [Combination, Combination])[]): Weights {
  const weights = new Map<Combination, number>();
  for (const [before, after] of pairs) {
    weights.set(before, (weights.get(before) ?? 0) - 1 / pairs.length);
    weights.set(after, (weights.get(after) ?? 0) + 1 / pairs.length);
  }
  return weights;
}

/** Every place where a group alone changes between two possible combinations. */
export function stepsOfGroup(
  group: number,
  masks: readonly Combination[],
): readonly (readonly [Combination, Combination])[] {
  const bit = 2 ** group;
  const known = new Set(masks);
  return masks.flatMap((mask) =>
    (mask & bit) === 0 && known.has(mask + bit) ? [[mask, mask + bit] as const] : [],
  );
}

/** The combinations of fewest changes first, so that ties are broken alike whatever the seed. */
export function byChanges(masks: readonly Combination[]): readonly Combination[] {
  return masks.toSorted((a, b) => changesMade(a) - changesMade(b) || a - b);
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((total, value, index) => total + value * (b[index] ?? 0), 0);
}

function norm(values: readonly number[]): number {
  return Math.sqrt(dot(values, values));
}
