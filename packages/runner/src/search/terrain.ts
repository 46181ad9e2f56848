import type { Cell } from '@fair-bench/results';
import { Surface } from './surface.ts';

export type Load = Pick<Cell, 'sessions' | 'depth' | 'poolSize'>;

/** A route by a load client: what competes for a system's best point. */
export interface Candidate {
  /** The cell's id at the start of the search. */
  readonly cell: string;
  readonly route: string;
  readonly client: Cell['client'];
  /** The pools that are tried; empty for a route without one. */
  readonly pools: readonly number[];
}

/** A candidate under a load. */
export interface Place extends Load {
  /** The table that it competes in: one system at one combination, durability and profile. */
  readonly contest: string;
  readonly candidate: Candidate;
}

/** What the trials of one system showed in all of its contests: a contest starts with what another one found. */
export class Terrain {
  /** Logarithms of throughput. */
  readonly tps = new Surface<Place>({
    covariances: [covarianceOf(spreads.even), covarianceOf(spreads.uneven)],
    shapes: curves,
    noise: trialNoise,
    guesses,
    drifts,
  });
  /** Logarithms of p99 ÷ the mean latency by Little's law. */
  readonly tail = new Surface<Place>({
    covariances: [covarianceOf(spreads.tail)],
    shapes: [{ at: () => tailPrior, weight: 1 }],
    noise: tailNoise,
    guesses,
    drifts: [steady],
  });
}

/** The guessed standard deviation of the logarithm of a short trial's throughput, and of its p99. */
const trialNoise = 0.08;
const tailNoise = 0.3;
/** A machine is as fast in all trials, or faster and slower for a while: others on it do that. */
const steady = { deviation: 0, seconds: 1, weight: 1 } as const;
const drifts = [steady, { deviation: 0.08, seconds: 60, weight: 0.5 }] as const;
/** The trials soon say more of the noise than the guess. */
const guesses = 5;
const tailPrior = Math.log(3);
/** With so many operations in flight a system may reach half of its most; beyond so many contention may take it down. */
const halvesAt = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;
const peaksAt = [32, 128, 512, 2048, 8192, Number.POSITIVE_INFINITY] as const;
/** How sharply it bends there, 1 in the law, and how likely that is. */
const bends = [
  { bend: 1, weight: 1 },
  { bend: 0.75, weight: 0.05 },
  { bend: 2.5, weight: 0.05 },
] as const;
/** What a session may wait for a worker of its own, 1 ÷ sessions in the law with a bend of 1, and how likely that is. */
const workers = [
  { wait: 0, weight: 1 },
  { wait: 2, weight: 0.1 },
  { wait: 6, weight: 0.1 },
] as const;
/** Few in flight may reach nearly the most, and many in flight gain so much more, half of it at so many, slowly or at once. */
const late = { gains: [0.15, 0.4], halvesAt: [16, 64, 256], bends: [1, 3], weight: 0.15 } as const;
/** How alike two places are that differ in the contest, the route, the client: in their level, in their shape. */
const likeLevel = { contest: 0.9, route: 0.3, client: 0.8 } as const;
const likeShape = { contest: 0.95, route: 0.95, client: 0.95 } as const;
/** Standard deviations of logarithms: of all, of levels, of pools. */
const spread = { all: 10, level: 0.8, pool: 0.2 } as const;

/**
 * Standard deviations of logarithms beside the curve: along operations in flight, between sessions and depth, and how
 * far sessions and depth have costs of their own.
 */
interface Spread {
  readonly along: number;
  readonly across: number;
  readonly costs: number;
}
/** Throughput by operations in flight alone, as most systems show it, or not. */
const spreads = {
  even: { along: 0.01, across: 0.02, costs: 0 },
  uneven: { along: 0.01, across: 0.1, costs: 1 },
  tail: { along: 0.08, across: 0.15, costs: 0 },
} as const;
/** In doublings. */
const reach = { along: 2.5, across: 3, pool: 1.5 } as const;

function covarianceOf({ along, across, costs }: Spread): (a: Place, b: Place) => number {
  return (placeA, placeB) => {
    const [a, b] = [coordinatesOf(placeA), coordinatesOf(placeB)];
    const around = along ** 2 + across ** 2 * bell((a.across - b.across) / reach.across);
    const smooth = around * bell((a.along - b.along) / reach.along);
    const cost = costs ** 2 * (a.wait * b.wait + a.crowd * b.crowd + a.queue * b.queue);
    const pool = spread.pool ** 2 * bell((a.pool - b.pool) / reach.pool);
    return (
      spread.all ** 2 +
      spread.level ** 2 * likeness(placeA, placeB, likeLevel) +
      likeness(placeA, placeB, likeShape) * (smooth + cost + pool)
    );
  };
}

interface Coordinates {
  /** In doublings. */
  readonly along: number;
  readonly across: number;
  readonly pool: number;
  /** Logarithms of a likely cost: of a session that waits for each reply, of a session, of one more in its queue. */
  readonly wait: number;
  readonly crowd: number;
  readonly queue: number;
}

const known = new WeakMap<Place, Coordinates>();

function coordinatesOf(place: Place): Coordinates {
  const { sessions, depth, poolSize = 1 } = place;
  const coordinates = known.get(place) ?? {
    along: Math.log2(sessions * depth),
    across: Math.log2(sessions / depth) / 2,
    pool: Math.log2(poolSize),
    wait: Math.log(1 + 0.3 / depth),
    crowd: Math.log(1 + sessions / 200) / 2,
    queue: Math.log(1 + depth / 32) / 2,
  };
  known.set(place, coordinates);
  return coordinates;
}

function likeness(a: Place, b: Place, of: Readonly<Record<'contest' | 'route' | 'client', number>>): number {
  return (
    (a.contest === b.contest ? 1 : of.contest) *
    (a.candidate.route === b.candidate.route ? 1 : of.route) *
    (a.candidate.client === b.candidate.client ? 1 : of.client)
  );
}

function bell(distance: number): number {
  return Math.exp(-(distance ** 2) / 2);
}

/** The Universal Scalability Law (Gunther 1993), by operations in flight. */
const law = bends.flatMap(({ bend, weight: ofBend }) =>
  workers.flatMap(({ wait, weight: ofWait }) =>
    halvesAt.flatMap((half) =>
      peaksAt
        .filter((peak) => peak > half && (wait === 0 || bend === 1))
        .map((peak) => ({
          weight: ofBend * ofWait,
          at: (place: Place): number => {
            const inFlight = inFlightOf(place);
            const waiting = (1 + (half / inFlight) ** bend) ** (1 / bend) + wait / place.sessions;
            return -Math.log(waiting + (inFlight * half) / peak ** 2);
          },
        })),
    ),
  ),
);

/** As where one flush commits all that wait for it, and its time is a small part of an operation's. */
const lateGains = late.gains.flatMap((gain) =>
  late.halvesAt.flatMap((half) =>
    late.bends.map((bend) => ({
      weight: late.weight,
      at: (place: Place): number => -Math.log(1 + gain / (1 + (inFlightOf(place) / half) ** bend)),
    })),
  ),
);

const curves = [...law, ...lateGains];

export function inFlightOf({ sessions, depth }: Load): number {
  return sessions * depth;
}
