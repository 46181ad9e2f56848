import { splitMix64, sum } from '@fair-bench/results';

/** What is expected at a place: of normally distributed values, the mean and the standard deviation. */
export interface Expected {
  readonly mean: number;
  readonly deviation: number;
}

export interface SurfaceOptions<Place extends object> {
  /** What two places may have in common beside the shape; all equally likely before any measurement. */
  readonly covariances: readonly ((a: Place, b: Place) => number)[];
  /** Shapes that the surface may have, each up to a constant. */
  readonly shapes: readonly Curve<Place>[];
  /** The standard deviation of one measurement, as it is guessed. */
  readonly noise: number;
  /** The guess is worth so many measurements. */
  readonly guesses: number;
  /** How measurements that follow each other may be off together. */
  readonly drifts: readonly Drift[];
}

/** The machine is faster or slower for a while. */
export interface Drift {
  readonly deviation: number;
  /** After so long it is 1 ÷ e of what it was. */
  readonly seconds: number;
  /** How likely it is before any measurement, relative to the others. */
  readonly weight: number;
}

export interface Curve<Place> {
  readonly at: (place: Place) => number;
  /** How likely it is before any measurement, relative to the others. */
  readonly weight: number;
}

/**
 * A surface through noisy measurements: one of the shapes, and what is smooth beside it. Gaussian-process regression
 * (Rasmussen & Williams 2006, algorithm 2.1) with each shape as the mean function and each covariance; these are
 * averaged by how well they explain the measurements (Hoeting et al., "Bayesian Model Averaging", 1999). Each
 * measurement also tells something of the places around it, so that few of them are enough.
 */
export class Surface<Place extends object> {
  readonly #options: SurfaceOptions<Place>;
  readonly #places: Place[] = [];
  readonly #seconds: number[] = [];
  readonly #fits: readonly Fit<Place>[];
  #likely: Likely<Place>;
  /** Since the last measurement. */
  #expected = new Map<Place, Expected>();
  /** Of each place that was looked at, the values of all shapes. */
  readonly #shapesAt = new WeakMap<Place, readonly number[]>();

  constructor(options: SurfaceOptions<Place>) {
    this.#options = options;
    const pairs = options.covariances.flatMap((covariance) =>
      options.drifts.map((drift) => ({ covariance, drift })),
    );
    this.#fits = pairs.map(({ covariance, drift }) => ({
      covariance,
      drift,
      factor: [],
      lnDeterminant: 0,
      models: options.shapes.map(({ weight }, shape) => ({
        shape,
        lnPrior: Math.log(weight * drift.weight),
        solved: [],
        misfit: 0,
      })),
      rows: new WeakMap(),
    }));
    this.#likely = likelyOf(this.#fits, options.guesses);
  }

  /** @param seconds when it was measured, on any clock. */
  add(place: Place, value: number, seconds: number): void {
    const { noise, guesses } = this.#options;
    const shapes = this.#shapesOf(place);
    for (const fit of this.#fits) {
      const row = this.#measuredRow(fit, place, seconds);
      const rest = fit.covariance(place, place) + fit.drift.deviation ** 2 + noise ** 2 - dot(row, row);
      const own = Math.sqrt(Math.max(rest, Number.EPSILON));
      for (const model of fit.models) {
        const unexpected = (value - (shapes[model.shape] ?? 0) - dot(row, model.solved)) / own;
        model.solved.push(unexpected);
        model.misfit += unexpected ** 2;
      }
      fit.factor.push([...row, own]);
      fit.lnDeterminant += Math.log(own);
    }
    this.#places.push(place);
    this.#seconds.push(seconds);
    this.#likely = likelyOf(this.#fits, guesses);
    this.#expected = new Map();
  }

  /** Over the likely models; the variance is within each of them and between them. */
  at(place: Place): Expected {
    const known = this.#expected.get(place);
    if (known !== undefined) return known;
    let [mean, square, variance] = [0, 0, 0];
    for (const { fit, models, weight: ofFit } of this.#likely.fits) {
      const row = this.#solve(fit, place);
      variance += ofFit * (fit.covariance(place, place) - dot(row, row));
      for (const { model, weight } of models) {
        const value = this.#valueOf(model, place, row);
        mean += weight * value;
        square += weight * value ** 2;
      }
    }
    const between = Math.max(square - mean ** 2, 0);
    const deviation = Math.sqrt(Math.max(variance, 0) * this.#likely.scale + between);
    const expected = { mean, deviation };
    this.#expected.set(place, expected);
    return expected;
  }

  /** The variance of one more measurement around its mean. */
  noiseVariance(): number {
    return this.#options.noise ** 2 * this.#likely.scale;
  }

  /** So many surfaces as they may be, each as its values at the places; always the same ones. */
  draws(places: readonly Place[], count: number): readonly (readonly number[])[] {
    const drawn: number[][] = [];
    const deviation = Math.sqrt(this.#likely.scale);
    let weightBefore = 0;
    for (const { fit, models } of this.#likely.fits) {
      const rows = places.map((place) => this.#solve(fit, place));
      let factor: readonly (readonly number[])[] | null = null;
      for (const { model, weight } of models) {
        weightBefore += weight;
        const until = Math.round(weightBefore * count);
        if (until <= drawn.length) continue;
        factor ??= factorOf(fit.covariance, places, rows);
        const means = places.map((place, index) => this.#valueOf(model, place, rows[index] ?? []));
        while (drawn.length < until) {
          const standard = places.map((_, index) => normalAt(drawn.length * places.length + index));
          const lower = factor;
          drawn.push(means.map((mean, index) => mean + deviation * dot(lower[index] ?? [], standard)));
        }
      }
    }
    return drawn;
  }

  #valueOf({ shape, solved }: Model, place: Place, row: readonly number[]): number {
    return (this.#shapesOf(place)[shape] ?? 0) + dot(row, solved);
  }

  #shapesOf(place: Place): readonly number[] {
    const values = this.#shapesAt.get(place) ?? this.#options.shapes.map(({ at }) => at(place));
    this.#shapesAt.set(place, values);
    return values;
  }

  /** The forward substitution of the factor for one more measurement, which may be off as those shortly before it. */
  #measuredRow(fit: Fit<Place>, place: Place, seconds: number): readonly number[] {
    const { covariance, drift, factor } = fit;
    if (drift.deviation === 0) return [...this.#solve(fit, place)];
    return substituted([], factor, (index) => {
      const ago = Math.abs(seconds - (this.#seconds[index] ?? 0));
      const together = drift.deviation ** 2 * Math.exp(-ago / drift.seconds);
      return covariance(place, this.#places[index] ?? place) + together;
    });
  }

  /** The same for a place; continued where it ended last time. */
  #solve({ covariance, factor, rows }: Fit<Place>, place: Place): readonly number[] {
    const solved = rows.get(place) ?? [];
    rows.set(place, solved);
    return substituted(solved, factor, (index) => covariance(place, this.#places[index] ?? place));
  }
}

/** Continues a forward substitution of the factor for the covariances with its measurements. */
function substituted(
  solved: number[],
  factor: readonly (readonly number[])[],
  covarianceAt: (index: number) => number,
): readonly number[] {
  for (const [index, row] of factor.entries()) {
    if (index >= solved.length) solved.push((covarianceAt(index) - dot(solved, row)) / (row[index] ?? 1));
  }
  return solved;
}

/** The measurements by one covariance. */
interface Fit<Place extends object> {
  readonly covariance: (a: Place, b: Place) => number;
  readonly drift: Drift;
  /** The lower triangle of the Cholesky factor, row by row; a measurement adds a row. */
  readonly factor: (readonly number[])[];
  /** Of the factor. */
  lnDeterminant: number;
  readonly models: readonly Model[];
  /** Of each place that was looked at. */
  readonly rows: WeakMap<Place, number[]>;
}

/** With one of the shapes. */
interface Model {
  readonly shape: number;
  readonly lnPrior: number;
  /** The factor's solution for what the values are above the shape. */
  readonly solved: number[];
  /** The sum of squares of what the shape left unexpected, in standard deviations. */
  misfit: number;
}

interface Likely<Place extends object> {
  /** The weights of the models of all fits add up to 1. */
  readonly fits: readonly {
    readonly fit: Fit<Place>;
    readonly weight: number;
    readonly models: readonly { readonly model: Model; readonly weight: number }[];
  }[];
  /** By what the variance is multiplied, because the measurements differ more or less than was guessed. */
  readonly scale: number;
}

/** A model that is less likely than this, relative to the likeliest, is left out. */
const weightMin = 1e-3;

/** The models by how well they explain the measurements. */
function likelyOf<Place extends object>(fits: readonly Fit<Place>[], guesses: number): Likely<Place> {
  const degrees = guesses + (fits[0]?.factor.length ?? 0);
  const lnLikelihood = (fit: Fit<Place>, model: Model): number =>
    model.lnPrior - fit.lnDeterminant - (degrees / 2) * Math.log(guesses + model.misfit);
  const most = Math.max(...fits.flatMap((fit) => fit.models.map((model) => lnLikelihood(fit, model))));
  const weighed = fits.map((fit) => {
    const models = fit.models
      .map((model) => ({ model, weight: Math.exp(lnLikelihood(fit, model) - most) }))
      .filter(({ weight }) => weight >= weightMin);
    return { fit, weight: sum(models.map(({ weight }) => weight)), models };
  });
  const all = sum(weighed.map(({ weight }) => weight));
  const likely = weighed
    .filter(({ weight }) => weight > 0)
    .map(({ fit, weight, models }) => ({
      fit,
      weight: weight / all,
      models: models.map((one) => ({ model: one.model, weight: one.weight / all })),
    }));
  const misfit = sum(
    likely.flatMap(({ models }) => models.map(({ model, weight }) => weight * model.misfit)),
  );
  return { fits: likely, scale: (guesses + misfit) / degrees };
}

/** Keeps a factor real where places are known almost exactly. */
const varianceMin = 1e-8;

/** The Cholesky factor of the places' covariances, given the measurements. */
function factorOf<Place>(
  covariance: (a: Place, b: Place) => number,
  places: readonly Place[],
  rows: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const factor: number[][] = [];
  for (const [index, place] of places.entries()) {
    const [row, solved]: [number[], readonly number[]] = [[], rows[index] ?? []];
    for (const [before, other] of factor.entries()) {
      const between = covariance(place, places[before] ?? place) - dot(solved, rows[before] ?? []);
      row.push((between - dot(row, other)) / (other[before] ?? 1));
    }
    const own = covariance(place, place) - dot(solved, solved) - dot(row, row);
    row.push(Math.sqrt(Math.max(own, varianceMin)));
    factor.push(row);
  }
  return factor;
}

/** Over the length of the first. */
function dot(a: readonly number[], b: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < a.length; index += 1) total += (a[index] ?? 0) * (b[index] ?? 0);
  return total;
}

/** A prime, so that no two draws begin at the same one. */
const normalsCount = 8191;
const normals: readonly number[] = standardNormals();

function normalAt(index: number): number {
  return normals[index % normalsCount] ?? 0;
}

/** Box & Muller. */
function standardNormals(): readonly number[] {
  const draw = splitMix64(1n);
  const uniform = (): number => Number(draw() >> 11n) / 2 ** 53;
  return Array.from(
    { length: normalsCount },
    () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}
