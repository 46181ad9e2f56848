import {
  logRatioOf,
  momentsOf,
  type RoundPair,
  significanceLevel,
  studentsT,
  sum,
  tFactor,
} from './statistics.ts';

/** The probability with which the suggested rounds decide, and the most rounds worth suggesting. */
const power = 0.8;
const roundsMax = 10_000;

/** What a ratio must do for a verdict, on the side on which it was measured. */
export interface Undecided {
  readonly rounds: readonly RoundPair[];
  /** The interval must exclude them. */
  readonly bounds: readonly number[];
  /** It must reach at most so many × to either side. */
  readonly widest: number;
}

/**
 * How many paired rounds each of a family would probably need, by the test that decides: Holm's, whose level is the stricter the
 * fewer of the family are decided before it. Those that are decided come first, as null; then the one that needs fewest rounds.
 * Always more than the rounds that did not decide. Null for what is decided, what these rounds cannot predict, or what needs more
 * than 10,000. The deviation and the ratio are taken as measured.
 */
export function roundsToDecide(family: readonly (Undecided | null)[]): readonly (number | null)[] {
  const found: (number | null)[] = family.map(() => null);
  const open = family.flatMap((one, index) => (one === null ? [] : [{ one, index }]));
  const strictest = significanceLevel / family.length;
  const ordered = open
    .map((each) => ({ ...each, least: roundsAt(each.one, strictest) ?? Infinity }))
    .toSorted((a, b) => a.least - b.least);
  let before = 0;
  for (const [rank, { one, index }] of ordered.entries()) {
    const rounds = roundsAt(one, significanceLevel / (open.length - rank));
    if (rounds === null) break;
    before = Math.max(before, rounds);
    found[index] = before;
  }
  return found;
}

function roundsAt({ rounds, bounds, widest }: Undecided, level: number): number | null {
  if (rounds.length < 2) return null;
  const { mean, variance } = momentsOf(rounds.map(logRatioOf));
  const distances = distancesFrom(mean, bounds.map(Math.log));
  const isEnough = (count: number): boolean => {
    const error = Math.sqrt(variance / count);
    if (tFactor(count - 1) * error > Math.log(widest)) return false;
    if (error === 0) return !distances.includes(0);
    const factor = tFactor(count - 1, 1 - level / 2);
    const misses = distances.map((distance) => studentsT('cdf', factor - distance / error, count - 1));
    return sum(misses) <= 1 - power;
  };
  if (!isEnough(roundsMax)) return null;
  let [low, high] = [rounds.length, roundsMax];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** To the nearest bound on each side: beyond an outer one, the others are excluded with it. */
function distancesFrom(value: number, bounds: readonly number[]): readonly number[] {
  const [below, above] = [bounds.filter((one) => one <= value), bounds.filter((one) => one > value)];
  if (above.length === 0) return [value - Math.max(...below)];
  if (below.length === 0) return [Math.min(...above) - value];
  return [value - Math.max(...below), Math.min(...above) - value];
}
