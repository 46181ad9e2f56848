/** What is expected at a place: of normally distributed values, the mean and the standard deviation. */
export interface Expected {
  readonly mean: number;
  readonly deviation: number;
}

export interface SurfaceOptions<Place extends object> {
  /** What two places have in common, before any measurement. */
  readonly covariance: (a: Place, b: Place) => number;
  /** What is expected before any measurement, up to a constant that the covariance has. */
  readonly prior: (place: Place) => number;
  /** The standard deviation of one measurement. */
  readonly noise: number;
}

/**
 * A smooth surface through noisy measurements: Gaussian-process regression (Rasmussen & Williams 2006, algorithm 2.1).
 * Each measurement also tells something of the places around it, so that few of them are enough.
 */
export class Surface<Place extends object> {
  readonly #options: SurfaceOptions<Place>;
  readonly #places: Place[] = [];
  /** The lower triangle of the Cholesky factor, row by row; a measurement adds a row. */
  readonly #factor: number[][] = [];
  /** The factor's solution for the values. */
  readonly #solved: number[] = [];
  /** Of each place that was looked at. */
  readonly #rows = new WeakMap<Place, number[]>();

  constructor(options: SurfaceOptions<Place>) {
    this.#options = options;
  }

  add(place: Place, value: number): void {
    const { covariance, prior, noise } = this.#options;
    const row = [...this.#solve(place)];
    const own = covariance(place, place) + noise ** 2 - dot(row, row);
    row.push(Math.sqrt(Math.max(own, Number.EPSILON)));
    const rest = value - prior(place) - dot(row, this.#solved);
    this.#solved.push(rest / (row.at(-1) ?? 1));
    this.#factor.push(row);
    this.#places.push(place);
  }

  at(place: Place): Expected {
    const row = this.#solve(place);
    const variance = this.#options.covariance(place, place) - dot(row, row);
    return {
      mean: this.#options.prior(place) + dot(row, this.#solved),
      deviation: Math.sqrt(Math.max(variance, 0)),
    };
  }

  /** What is expected of the first place minus the second: the level that both share cancels out. */
  difference(a: Place, b: Place): Expected {
    const { covariance } = this.#options;
    const shared = covariance(a, b) - dot(this.#solve(a), this.#solve(b));
    const [first, second] = [this.at(a), this.at(b)];
    const variance = first.deviation ** 2 + second.deviation ** 2 - 2 * shared;
    return { mean: first.mean - second.mean, deviation: Math.sqrt(Math.max(variance, 0)) };
  }

  /** The forward substitution of the factor for this place's covariances; continued where it ended last time. */
  #solve(place: Place): number[] {
    const solved = this.#rows.get(place) ?? [];
    this.#rows.set(place, solved);
    for (let index = solved.length; index < this.#factor.length; index += 1) {
      const [row, other] = [this.#factor[index], this.#places[index]];
      if (row === undefined || other === undefined) break;
      const rest = this.#options.covariance(place, other) - dot(solved, row);
      solved.push(rest / (row[index] ?? 1));
    }
    return solved;
  }
}

/** Over the length of the first. */
function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < a.length; index += 1) total += (a[index] ?? 0) * (b[index] ?? 0);
  return total;
}
