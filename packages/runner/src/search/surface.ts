import { sum } from '@fair-bench/results';

/** What is expected at a place: of normally distributed values, the mean and the standard deviation. */
export interface Expected {
  readonly mean: number;
  readonly deviation: number;
}

export interface SurfaceOptions<Place extends object> {
  /** What two places have in common beside the shape, before any measurement. */
  readonly covariance: (a: Place, b: Place) => number;
  /** Shapes that the surface may have, all equally likely before any measurement; each up to a constant. */
  readonly shapes: readonly ((place: Place) => number)[];
  /** The standard deviation of one measurement, as it is guessed. */
  readonly noise: number;
  /** The guess is worth so many measurements. */
  readonly guesses: number;
}

/**
 * A surface through noisy measurements: one of the shapes, and what is smooth beside it. Gaussian-process regression
 * (Rasmussen & Williams 2006, algorithm 2.1) with each shape as the mean function; the shapes are averaged by how well
 * each explains the measurements (Hoeting et al., "Bayesian Model Averaging", 1999). Each measurement also tells
 * something of the places around it, so that few of them are enough.
 */
export class Surface<Place extends object> {
  readonly #options: SurfaceOptions<Place>;
  readonly #places: Place[] = [];
  /** The lower triangle of the Cholesky factor, row by row; a measurement adds a row. */
  readonly #factor: number[][] = [];
  readonly #shapes: readonly Shape<Place>[];
  #likely: Likely<Place>;
  /** Of each place that was looked at. */
  readonly #rows = new WeakMap<Place, number[]>();

  constructor(options: SurfaceOptions<Place>) {
    this.#options = options;
    this.#shapes = options.shapes.map((at) => ({ at, solved: [], misfit: 0 }));
    this.#likely = likelyOf(this.#shapes, options.guesses, 0);
  }

  add(place: Place, value: number): void {
    const { covariance, noise } = this.#options;
    const row = [...this.#solve(place)];
    const own = Math.sqrt(Math.max(covariance(place, place) + noise ** 2 - dot(row, row), Number.EPSILON));
    for (const shape of this.#shapes) {
      const rest = (value - shape.at(place) - dot(row, shape.solved)) / own;
      shape.solved.push(rest);
      shape.misfit += rest ** 2;
    }
    row.push(own);
    this.#factor.push(row);
    this.#places.push(place);
    this.#likely = likelyOf(this.#shapes, this.#options.guesses, this.#places.length);
  }

  at(place: Place): Expected {
    const row = this.#solve(place);
    const variance = this.#options.covariance(place, place) - dot(row, row);
    return this.#averaged(variance, (shape) => shape.at(place) + dot(row, shape.solved));
  }

  /** What is expected of the first place minus the second: the level that both share cancels out. */
  difference(a: Place, b: Place): Expected {
    const { covariance } = this.#options;
    const [rowA, rowB] = [this.#solve(a), this.#solve(b)];
    const between = covariance(a, b) - dot(rowA, rowB);
    const ofA = covariance(a, a) - dot(rowA, rowA);
    const ofB = covariance(b, b) - dot(rowB, rowB);
    return this.#averaged(
      ofA + ofB - 2 * between,
      (shape) => shape.at(a) - shape.at(b) + dot(rowA, shape.solved) - dot(rowB, shape.solved),
    );
  }

  /** Over the likely shapes; the variance is within each of them and between them. */
  #averaged(variance: number, of: (shape: Shape<Place>) => number): Expected {
    const { shapes, scale } = this.#likely;
    let [mean, square] = [0, 0];
    for (const { shape, weight } of shapes) {
      const value = of(shape);
      mean += weight * value;
      square += weight * value ** 2;
    }
    const between = Math.max(square - mean ** 2, 0);
    return { mean, deviation: Math.sqrt(Math.max(variance, 0) * scale + between) };
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

interface Shape<Place> {
  readonly at: (place: Place) => number;
  /** The factor's solution for what the values are above the shape. */
  readonly solved: number[];
  /** The sum of squares of what the shape left unexpected, in standard deviations. */
  misfit: number;
}

interface Likely<Place> {
  /** The weights add up to 1. */
  readonly shapes: readonly { readonly shape: Shape<Place>; readonly weight: number }[];
  /** By what the variance is multiplied, because the measurements differ more or less than was guessed. */
  readonly scale: number;
}

/** A shape that is less likely than this, relative to the likeliest, is left out. */
const weightMin = 1e-4;

/** The shapes by how well they explain so many measurements. */
function likelyOf<Place>(shapes: readonly Shape<Place>[], guesses: number, count: number): Likely<Place> {
  const degrees = guesses + count;
  const least = Math.min(...shapes.map(({ misfit }) => misfit));
  const weighed = shapes
    .map((shape) => ({ shape, weight: ((guesses + least) / (guesses + shape.misfit)) ** (degrees / 2) }))
    .filter(({ weight }) => weight >= weightMin);
  const all = sum(weighed.map(({ weight }) => weight));
  const likely = weighed.map(({ shape, weight }) => ({ shape, weight: weight / all }));
  const scale = sum(likely.map(({ shape, weight }) => weight * (guesses + shape.misfit))) / degrees;
  return { shapes: likely, scale };
}

/** Over the length of the first. */
function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < a.length; index += 1) total += (a[index] ?? 0) * (b[index] ?? 0);
  return total;
}
