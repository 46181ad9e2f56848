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
  readonly tps = new Surface<Place>({ covariance, shapes: curves, noise: trialNoise, guesses });
  /** Logarithms of p99 ÷ the mean latency by Little's law. */
  readonly tail = new Surface<Place>({ covariance, shapes: [() => tailPrior], noise: tailNoise, guesses });
}

/** The guessed standard deviation of the logarithm of a short trial's throughput, and of its p99. */
const trialNoise = 0.1;
const tailNoise = 0.3;
/** The trials soon say more of the noise than the guess. */
const guesses = 5;
const tailPrior = Math.log(3);
/** With so many operations in flight a system may reach half of its most; beyond so many contention may take it down. */
const halvesAt = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;
const peaksAt = [64, 256, 1024, 4096, Number.POSITIVE_INFINITY] as const;
/** How alike two places are that differ in the contest, the route, the client: in their level, in their shape. */
const likeLevel = { contest: 0.9, route: 0.3, client: 0.8 } as const;
const likeShape = { contest: 0.95, route: 0.95, client: 0.95 } as const;
/**
 * Standard deviations of logarithms: of levels; beside the curve, along operations in flight and between sessions and
 * depth; of pools.
 */
const spread = { all: 10, level: 0.8, along: 0.08, across: 0.15, pool: 0.2 } as const;
/** In doublings. */
const reach = { along: 2.5, across: 3, pool: 1.5 } as const;

function covariance(a: Place, b: Place): number {
  const level = likeness(a, b, likeLevel);
  const along = bell(Math.log2(inFlightOf(a) / inFlightOf(b)) / reach.along);
  const across = bell(Math.log2((a.sessions / a.depth) * (b.depth / b.sessions)) / 2 / reach.across);
  const pool = bell(Math.log2((a.poolSize ?? 1) / (b.poolSize ?? 1)) / reach.pool);
  const shape = along * (spread.along ** 2 + spread.across ** 2 * across) + spread.pool ** 2 * pool;
  return spread.all ** 2 + spread.level ** 2 * level + likeness(a, b, likeShape) * shape;
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
const curves = halvesAt.flatMap((half) =>
  peaksAt
    .filter((peak) => peak > half)
    .map((peak) => (place: Place): number => {
      const inFlight = inFlightOf(place);
      return -Math.log(1 + half / inFlight + (inFlight * half) / peak ** 2);
    }),
);

export function inFlightOf({ sessions, depth }: Load): number {
  return sessions * depth;
}
