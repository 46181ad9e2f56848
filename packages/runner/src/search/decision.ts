import { meanOf } from '@fair-bench/results';
import { inFlightOf, type Place } from './terrain.ts';

/** What is known of the best place, and of the knee: the fewest operations in flight inside the zone of the fastest. */
export interface Decision {
  /** How sure it is that a place is inside the zone and within one step of the knee; the surest is the best. */
  readonly worth: (place: Place) => number;
  /** How much a trial there tells of where the knee is. */
  readonly tellsKnee: (place: Place) => number;
  /** How much it tells of what is lost with the chosen place. */
  readonly tellsLoss: (place: Place, chosen: Place) => number;
  /** Between how many operations in flight the knee is in 95 % of the surfaces. */
  readonly kneeRange: () => readonly [number, number];
}

/** One step of the grid: a factor of two in operations in flight, but for 12 and 25, or 48 and 100. */
const step = Math.log2(2.1);
/** What it is worth that both hold, and each of them by itself: less throughput is worse than more latency. */
const worthOf = { both: 1, inside: 0.3, near: 0.1 } as const;

/** Of the surfaces, at each end. */
const tailShare = 0.025;

/** By surfaces as they may be, each as its values at the places. */
export function decisionOf(
  places: readonly Place[],
  draws: readonly (readonly number[])[],
  { zone, noiseVariance }: { readonly zone: number; readonly noiseVariance: number },
): Decision {
  const inFlight = places.map((place) => Math.log2(inFlightOf(place)));
  const levels = draws.map((values) => Math.max(...values) + Math.log(1 - zone));
  const knees = draws.map((values, index) =>
    inFlight.reduce(
      (least, at, place) => ((values[place] ?? 0) >= (levels[index] ?? 0) && at < least ? at : least),
      Number.POSITIVE_INFINITY,
    ),
  );
  const known = new Map(places.map((place, index) => [place, index]));
  const valuesAt = (place: Place): readonly number[] => {
    const index = known.get(place) ?? -1;
    return draws.map((values) => values[index] ?? Number.NEGATIVE_INFINITY);
  };
  return {
    worth: (place) => {
      const at = Math.log2(inFlightOf(place));
      let total = 0;
      for (const [draw, value] of valuesAt(place).entries()) {
        const isInside = value >= (levels[draw] ?? 0);
        const isNear = Math.abs(at - (knees[draw] ?? 0)) <= step;
        if (isInside && isNear) total += worthOf.both;
        if (isInside) total += worthOf.inside;
        if (isNear) total += worthOf.near;
      }
      return total / draws.length;
    },
    kneeRange: () => {
      const sorted = knees.toSorted((a, b) => a - b);
      const tail = Math.floor(knees.length * tailShare);
      return [2 ** (sorted[tail] ?? 0), 2 ** (sorted.at(-1 - tail) ?? 0)];
    },
    tellsKnee: (place) => explained(knees, valuesAt(place), noiseVariance),
    tellsLoss: (place, chosen) => {
      const values = valuesAt(chosen);
      const losses = levels.map((level, draw) => level - (values[draw] ?? 0));
      return explained(losses, valuesAt(place), noiseVariance);
    },
  };
}

/** The variance of the targets that a linear regression on a noisy measurement explains. */
function explained(targets: readonly number[], values: readonly number[], noiseVariance: number): number {
  const [targetMean, valueMean] = [meanOf(targets), meanOf(values)];
  let [between, variance] = [0, 0];
  for (const [draw, value] of values.entries()) {
    between += (value - valueMean) * ((targets[draw] ?? 0) - targetMean);
    variance += (value - valueMean) ** 2;
  }
  return between ** 2 / values.length / (variance + noiseVariance * values.length);
}
