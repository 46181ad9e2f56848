import { holmAdjusted, significanceLevel } from '@fair-bench/results';
import { multiplierOf, pValueOf } from './direct.ts';
import type { Fit } from './fit.ts';
import { meanDifference, stepsOfGroup, type Term } from './model.ts';
import type { Combination } from './space.ts';

/** The mean effect of a group over every place where it alone can change, and its range. */
export interface GroupEffect {
  readonly multiplier: number;
  readonly ci95: [number, number] | null;
  readonly min: number;
  readonly max: number;
}

/** @param family so many intervals hold jointly with 95 %. */
export function groupEffect(
  fit: Fit,
  group: number,
  masks: readonly Combination[],
  family: number,
): GroupEffect {
  const steps = stepsOfGroup(group, masks);
  const effects = steps.map((step) => Math.exp(fit.estimate(meanDifference([step])).mean));
  return {
    ...multiplierOf(fit.estimate(meanDifference(steps)), family),
    min: Math.min(...effects),
    max: Math.max(...effects),
  };
}

/** Two groups whose effects depend on each other significantly. */
export interface GroupInteraction {
  readonly term: Term;
  /** The effect of the first of the term before and after the second one changes. */
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  readonly ci95: [number, number] | null;
  readonly pValueAdjusted: number;
}

/** The interactions that are significant, corrected over all that the combinations allow (Holm 1979); the largest first. */
export function significantInteractions(
  fit: Fit,
  terms: readonly Term[],
  masks: readonly Combination[],
): readonly GroupInteraction[] {
  const tested = terms.flatMap((term) => {
    const places = placesOf(term, masks);
    return places.length === 0 ? [] : [{ term, places, estimate: fit.estimate(doubleDifference(places)) }];
  });
  const adjusted = holmAdjusted(tested.map(({ estimate }) => pValueOf(estimate)));
  return tested
    .flatMap(({ term, places, estimate }, index): GroupInteraction[] => {
      const pValueAdjusted = adjusted[index] ?? null;
      if (pValueAdjusted === null || pValueAdjusted > significanceLevel) return [];
      const effectAt = (pick: (place: Place) => readonly [Combination, Combination]): number =>
        Math.exp(fit.estimate(meanDifference(places.map(pick))).mean);
      const { multiplier, ci95 } = multiplierOf(estimate);
      return [
        {
          term,
          before: effectAt(({ none, first }) => [none, first]),
          after: effectAt(({ second, both }) => [second, both]),
          ratio: multiplier,
          ci95,
          pValueAdjusted,
        },
      ];
    })
    .toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)));
}

/** Four possible combinations: without two groups, with either, and with both. */
interface Place {
  readonly none: Combination;
  readonly first: Combination;
  readonly second: Combination;
  readonly both: Combination;
}

function placesOf([first, second]: Term, masks: readonly Combination[]): readonly Place[] {
  if (first === undefined || second === undefined) return [];
  const [a, b] = [2 ** first, 2 ** second];
  const known = new Set(masks);
  return masks.flatMap((none) => {
    const place = { none, first: none + a, second: none + b, both: none + a + b };
    const isFree = (none & a) === 0 && (none & b) === 0;
    return isFree && [place.first, place.second, place.both].every((mask) => known.has(mask)) ? [place] : [];
  });
}

function doubleDifference(places: readonly Place[]): ReadonlyMap<Combination, number> {
  const weights = new Map<Combination, number>();
  const add = (mask: Combination, sign: number): void => {
    weights.set(mask, (weights.get(mask) ?? 0) + sign / places.length);
  };
  for (const { none, first, second, both } of places) {
    add(none, 1);
    add(first, -1);
    add(second, -1);
    add(both, 1);
  }
  return weights;
}
