import { type Decision, decisionOf } from './decision.ts';
import { Grid, type GridOptions, keyOf } from './grid.ts';
import type { Expected } from './surface.ts';
import { type Candidate, inFlightOf, type Load, type Place, Terrain } from './terrain.ts';

/** Of one trial. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A place with what its trials showed: nothing if one of them was void. */
export interface Tried {
  readonly place: Place;
  readonly tps: readonly number[];
  readonly latencyMs: readonly Latency[];
  /** Of the throughput, by the surface through all trials. */
  readonly ci95: [number, number] | null;
}

export interface ContestOptions extends GridOptions {
  /** Where every candidate is tried first. */
  readonly start: Load;
  /** A contest of the same system whose best place is tried first instead. */
  readonly neighbour?: Contest | undefined;
  /** Throughputs within this share of the fastest do not differ enough to matter. */
  readonly zone: number;
  readonly p99MaxMs?: number | undefined;
  readonly trialsMax: number;
}

/** Standard errors by which a place may be better than expected. */
const errors = 1.5;
/** Surfaces as they may be, by which the best place is chosen. */
const drawn = 64;
/** The ends of an interval are seen in few of them. */
const drawnForRange = 400;
/** So many places that may be the fastest are compared. */
const highestMax = 64;
/** So many last trials confirm what would be chosen. */
const confirming = 2;

/** With the shortest window. */
const trialSeconds = 3;
/** Of warm-up and window, in mean latencies. */
const latenciesOfTrial = 13;

/** Shorter trials count alike. */
const shortSeconds = 10;

/** On a small grid, of which every place is tried. */
const trialsOfPlaceMax = 4;

/** A contest without a number ends after so many trials. */
const voidsMax = 6;

/** One system at one combination: which of its candidates is the best, and under which load. */
export class Contest {
  readonly #options: ContestOptions;
  readonly #terrain: Terrain;
  readonly #tried = new Map<string, { place: Place; tps: number[]; latencyMs: Latency[]; isVoid: boolean }>();
  readonly #grid: Grid;
  #trials = 0;

  constructor(options: ContestOptions, terrain = new Terrain()) {
    this.#options = options;
    this.#terrain = terrain;
    this.#grid = new Grid(options);
  }

  /**
   * Null is a trial without a number: its place is not tried again.
   * @param seconds when it was measured, on one clock for all: trials shortly after each other may be off together.
   */
  add(at: Place, measured: ({ readonly tps: number } & Latency) | null, seconds: number): void {
    const place = this.#grid.placeAt(at);
    const tried = this.#tried.get(keyOf(place)) ?? { place, tps: [], latencyMs: [], isVoid: false };
    this.#tried.set(keyOf(place), tried);
    this.#trials += 1;
    if (measured === null || !(measured.tps > 0)) {
      tried.isVoid = true;
      this.#grid.leaveOut(place);
      return;
    }
    const { tps, p50Ms, p99Ms } = measured;
    tried.tps.push(tps);
    tried.latencyMs.push({ p50Ms, p99Ms });
    this.#terrain.tps.add(place, Math.log(tps), seconds);
    this.#terrain.tail.add(place, Math.log((p99Ms / 1000) * (tps / inFlightOf(place))), seconds);
    const peak = this.peak();
    if (peak !== null) this.#grid.extend(peak, (before) => this.#gains(peak, before));
  }

  /** The next place to try; null when every trial is used. */
  next(): Place | null {
    const places = this.#grid.places().length;
    const trialsMax = Math.min(this.#options.trialsMax, places === 1 ? 1 : places * trialsOfPlaceMax);
    if (this.#trials >= trialsMax) return null;
    const first = this.#firstUntried();
    if (first !== null) return first;
    if (places * 2 <= trialsMax) {
      const untried = this.#grid.places().find((place) => !this.#tried.has(keyOf(place)));
      if (untried !== undefined) return untried;
    }
    const known = this.#known();
    const peak = this.peak();
    // As far as nothing has a number, the place that is expected to be the best; not for long.
    if (peak === null)
      return this.#trials < voidsMax ? (bestOf(known, ({ mean }) => mean)?.place ?? null) : null;
    if (this.#options.p99MaxMs !== undefined) return this.#higher(known, peak)?.place ?? null;
    return this.#informative(known, peak, trialsMax - this.#trials);
  }

  /**
   * In turns, where a trial tells most of where the knee is, and most of what is lost with the best place so far; per
   * second if it takes long, because much in flight needs a long window. At last what would be chosen, if untried.
   */
  #informative(known: readonly Known[], peak: Place, left: number): Place | null {
    const { places, decision } = this.#decide(known, peak);
    const chosen = bestOf(places, ({ place }) => decision.worth(place));
    if (left <= confirming && chosen !== null && !this.#tried.has(keyOf(chosen.place))) return chosen.place;
    const best = bestOf(this.#measured(), ({ place }) => decision.worth(place))?.place ?? peak;
    const fair = this.#fairPlaceDue(best.candidate);
    if (fair !== null) return fair;
    const isKneesTurn = this.#trials % 2 === 0;
    const tells = (one: Known): number =>
      (isKneesTurn ? decision.tellsKnee(one.place) : decision.tellsLoss(one.place, best)) /
      Math.max(secondsOf(one), shortSeconds);
    return bestOf(places, tells)?.place ?? null;
  }

  /** The point of fair mode, than which no best point should be slower (F42), once more in the second half: one trial may be far off. */
  #fairPlaceDue(candidate: Candidate): Place | null {
    const { start, trialsMax } = this.#options;
    const fair = [...this.#tried.values()].find(
      ({ place, isVoid }) => place.candidate === candidate && isSameLoad(place, start) && !isVoid,
    );
    const isDue = this.#trials * 2 >= trialsMax && fair?.tps.length === 1;
    return isDue ? fair.place : null;
  }

  /**
   * Between what was tried, the places of the fastest one's candidate and pool, and those that may be the fastest; a
   * candidate that cannot be faster than the fastest by more than the zone is left out: it is as good at most.
   */
  #decide(
    known: readonly Known[],
    peak: Place,
    count = drawn,
  ): { readonly places: readonly Known[]; readonly decision: Decision } {
    const { candidate, poolSize } = peak;
    const alike = known.filter(({ place }) => place.candidate === candidate && place.poolSize === poolSize);
    const highest = known.toSorted((a, b) => upper(b) - upper(a)).slice(0, highestMax);
    const { zone } = this.#options;
    const least = this.#expected(peak).mean + Math.log(1 + zone);
    const mayWin = new Set([candidate, ...known.filter((one) => upper(one) >= least).map(candidateAt)]);
    const all = [...alike, ...highest, ...this.#measured()].filter((one) => mayWin.has(one.place.candidate));
    const places = [...new Map(all.map((one) => [one.place, one])).values()];
    const at = places.map(({ place }) => place);
    const { tps } = this.#terrain;
    const noiseVariance = tps.noiseVariance();
    return { places, decision: decisionOf(at, tps.draws(at, count), { zone, noiseVariance }) };
  }

  /**
   * Upper confidence bound (Srinivas et al., ICML 2010) per second that its trial takes (Snoek, Larochelle & Adams,
   * NIPS 2012), because much in flight needs a long window; within the bound of p99 as far as it is known.
   */
  #higher(known: readonly Known[], peak: Place): Known | null {
    const { mean } = this.#terrain.tps.at(peak);
    const possible = known.filter((one) => this.#fits(one.lnP99 - one.lnP99Deviation));
    const worth = (one: Known): number => {
      const gain = upper(one) - mean;
      return gain > 0 ? gain / secondsOf(one) : gain;
    };
    return bestOf(possible, worth) ?? bestOf(known, (one) => -one.lnP99);
  }

  /**
   * The best place so far: the one that is most likely inside the zone of the fastest and within a step of the fewest
   * operations in flight there; with a bound of p99, the fastest one within it, or the one closest to it. Null when
   * none has a number.
   */
  best(): Place | null {
    const peak = this.peak();
    if (peak === null) return null;
    const measured = this.#measured();
    if (this.#options.p99MaxMs !== undefined) {
      const within = measured.filter((one) => this.#fits(one.lnP99));
      const fastest = bestOf(within, ({ mean }) => mean) ?? bestOf(measured, (one) => -one.lnP99);
      return fastest?.place ?? null;
    }
    const known = this.#known();
    const { decision } = this.#decide(known, peak);
    return bestOf(measured, ({ place }) => decision.worth(place))?.place ?? null;
  }

  /** Between how many operations in flight the knee is with a probability of 95 %; null when nothing has a number. */
  kneeRange(): [number, number] | null {
    const peak = this.peak();
    if (peak === null) return null;
    const known = this.#known();
    const [low, high] = this.#decide(known, peak, drawnForRange).decision.kneeRange();
    return [Math.round(low), Math.round(high)];
  }

  /** The fastest place so far. */
  peak(): Place | null {
    return bestOf(this.#measured(), ({ mean }) => mean)?.place ?? null;
  }

  /** In the order in which they were first tried; without numbers if one trial was void. */
  all(): readonly Tried[] {
    return [...this.#tried.values()].map(({ place, tps, latencyMs, isVoid }): Tried => {
      if (isVoid) return { place, tps: [], latencyMs: [], ci95: null };
      const { mean, deviation } = this.#terrain.tps.at(place);
      const half = normal95 * deviation;
      return { place, tps, latencyMs, ci95: [Math.exp(mean - half), Math.exp(mean + half)] };
    });
  }

  /** The coordinates in which a place is at an end of the grid although more is possible. */
  edgesOf(place: Place): ('sessions' | 'depth' | 'pool')[] {
    return this.#grid.edgesOf(place);
  }

  /** Whether the last step to the peak still gained more than the zone. */
  #gains(peak: Place, before: Place): boolean {
    const { tps } = this.#terrain;
    return tps.at(peak).mean - tps.at(before).mean > Math.log(1 + this.#options.zone);
  }

  /** Every candidate at the start; after a neighbour only its best candidate, at its best place. */
  #firstUntried(): Place | null {
    const { candidates, start, neighbour, name: contest } = this.#options;
    const before = neighbour?.best() ?? null;
    for (const candidate of candidates) {
      const isLike = ({ route, client }: Candidate): boolean =>
        route === candidate.route && client === candidate.client;
      if (before !== null && !isLike(before.candidate)) continue;
      const { sessions, depth, poolSize } = before ?? { ...start, ...poolOf(candidate) };
      const pool = poolSize === undefined ? {} : { poolSize };
      const place = { contest, candidate, sessions, depth, ...pool };
      if (!this.#tried.has(keyOf(place))) return this.#grid.placeAt(place);
    }
    return null;
  }

  #fits(lnP99: number): boolean {
    const { p99MaxMs } = this.#options;
    return p99MaxMs === undefined || lnP99 <= Math.log(p99MaxMs / 1000);
  }

  #expected(place: Place): Known {
    const tps = this.#terrain.tps.at(place);
    if (this.#options.p99MaxMs === undefined) return { place, ...tps, lnP99: 0, lnP99Deviation: 0 };
    const tail = this.#terrain.tail.at(place);
    const lnP99 = Math.log(inFlightOf(place)) - tps.mean + tail.mean;
    return { place, ...tps, lnP99, lnP99Deviation: Math.hypot(tps.deviation, tail.deviation) };
  }

  #known(): readonly Known[] {
    return this.#grid.places().map((place) => this.#expected(place));
  }

  #measured(): readonly Known[] {
    return [...this.#tried.values()].flatMap(({ place, tps, isVoid }) =>
      isVoid || tps.length === 0 ? [] : [this.#expected(place)],
    );
  }
}

/** Of the standard normal distribution. */
const normal95 = 1.96;

/** What a trial is expected to take: its overhead with the shortest window, or so many mean latencies. */
function secondsOf({ place, mean }: Known): number {
  const latency = inFlightOf(place) / Math.exp(mean);
  return trialSeconds + Math.max(0, latenciesOfTrial * latency - 1);
}

function isSameLoad(a: Load, b: Load): boolean {
  return a.sessions === b.sessions && a.depth === b.depth;
}

function upper({ mean, deviation }: Known): number {
  return mean + errors * deviation;
}

function candidateAt({ place }: Known): Candidate {
  return place.candidate;
}

interface Known extends Expected {
  readonly place: Place;
  /** Of seconds; 0 where p99 has no bound. */
  readonly lnP99: number;
  readonly lnP99Deviation: number;
}

/** The middle one. */
function poolOf({ pools }: Candidate): Pick<Place, 'poolSize'> {
  const pool = pools[Math.floor(pools.length / 2)];
  return pool === undefined ? {} : { poolSize: pool };
}

function bestOf<T>(all: readonly T[], score: (one: T) => number): T | null {
  let best: T | null = null;
  let most = Number.NEGATIVE_INFINITY;
  for (const one of all) {
    const value = score(one);
    if (value > most) [best, most] = [one, value];
  }
  return best;
}
