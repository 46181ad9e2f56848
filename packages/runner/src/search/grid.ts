import type { Candidate, Place } from './terrain.ts';

export interface GridOptions {
  readonly name: string;
  readonly candidates: readonly Candidate[];
  /** In ascending order. */
  readonly sessions: readonly number[];
  readonly depths: readonly number[];
  /** The largest value of each coordinate that the grid may be extended to. */
  readonly sessionsMax: number;
  readonly depthMax: number;
}

/** The places of a contest: every candidate at every load and pool; it grows where more load still gains. */
export class Grid {
  readonly #options: GridOptions;
  /** Each place, once. */
  readonly #made = new Map<string, Place>();
  readonly #leftOut = new Set<string>();
  readonly #sessions: number[];
  readonly #depths: number[];
  #places: readonly Place[] | null = null;

  constructor(options: GridOptions) {
    this.#options = options;
    this.#sessions = [...options.sessions];
    this.#depths = [...options.depths];
  }

  /** Every place that may be tried; built again after it has changed. */
  places(): readonly Place[] {
    this.#places ??= this.#placesNow();
    return this.#places;
  }

  /** Not tried again. */
  leaveOut(place: Place): void {
    this.#leftOut.add(keyOf(place));
    this.#places = null;
  }

  placeAt(place: Place): Place {
    const key = keyOf(place);
    const known = this.#made.get(key) ?? place;
    this.#made.set(key, known);
    return known;
  }

  /** The coordinates in which a place is at an end of the grid although more is possible. */
  edgesOf({ sessions, depth, poolSize, candidate }: Place): ('sessions' | 'depth' | 'pool')[] {
    const isEdge = (values: readonly number[], at: number): boolean =>
      values.length > 1 && (at === values.at(-1) || (at === values[0] && at > 1));
    return [
      ...(isEdge(this.#sessions, sessions) ? (['sessions'] as const) : []),
      ...(isEdge(this.#depths, depth) ? (['depth'] as const) : []),
      ...(isEdge(candidate.pools, poolSize ?? 0) ? (['pool'] as const) : []),
    ];
  }

  /** Beyond an edge at which the last step to the peak still `gains`. */
  extend(peak: Place, gains: (before: Place) => boolean): void {
    const { sessionsMax, depthMax } = this.#options;
    const { sessions, depth } = peak;
    const [fewer, shallower] = [this.#sessions.at(-2), this.#depths.at(-2)];
    if (sessions === this.#sessions.at(-1) && fewer !== undefined && sessions * 2 <= sessionsMax) {
      if (gains(this.placeAt({ ...peak, sessions: fewer }))) this.#sessions.push(sessions * 2);
      this.#places = null;
    }
    if (depth === this.#depths.at(-1) && shallower !== undefined && depth * 2 <= depthMax) {
      if (gains(this.placeAt({ ...peak, depth: shallower }))) this.#depths.push(depth * 2);
      this.#places = null;
    }
  }

  #placesNow(): readonly Place[] {
    const { name: contest, candidates } = this.#options;
    return candidates.flatMap((candidate) => {
      const pools = candidate.pools.length === 0 ? [{}] : candidate.pools.map((poolSize) => ({ poolSize }));
      return this.#sessions.flatMap((sessions) =>
        this.#depths.flatMap((depth) =>
          pools
            .map((pool) => this.placeAt({ contest, candidate, sessions, depth, ...pool }))
            .filter((place) => !this.#leftOut.has(keyOf(place))),
        ),
      );
    });
  }
}

export function keyOf({ candidate, sessions, depth, poolSize }: Place): string {
  return JSON.stringify([candidate.cell, sessions, depth, poolSize]);
}
