import { exp, expInPlace, expm1OverX, log, log1pOverXInPlace, logInPlace, register } from './elementary.ts';
import { uniformOf, type Xoshiro128 } from './xoshiro128.ts';

/** Draws ranks; `first` is the hottest. */
export interface RankSampler {
  /**
   * The index of a rank (rank − 1, which fits into 32 bits) as a signed 32-bit integer: returning a double would
   * allocate it.
   */
  draw(random: Xoshiro128): number;
  /** Leaves the rank in `register[0]`: for ranks beyond 32 bits. */
  drawInPlace(random: Xoshiro128): void;
}

/**
 * A sampler of the ranks first … last where rank k has a probability proportional to k^−exponent: exact (up
 * to the grid of 2⁻⁵³ of its uniform draws) for every exponent ≥ 0, in constant memory, with bounded expected
 * time. By rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
 * from monotone discrete distributions", ACM TOMACS 6(3), 1996.
 */
export function createRankSampler(exponent: number, first: number, last: number): RankSampler {
  if (exponent === 0) return new UniformRanks(first, last);
  return new RejectionInversion(exponent, first, last);
}

/** The same, which looks most ranks up: for a sampler that lasts. */
export function createGuidedSampler(exponent: number, first: number, last: number): RankSampler {
  if (exponent === 0 || exponent > guideExponentMax) return createRankSampler(exponent, first, last);
  const sampler = new RejectionInversion(exponent, first, last);
  sampler.guide();
  return sampler;
}

/**
 * The ranks of slices of [0, 1) in which every uniform draw gives the same one; draws are the same with it and without. The inverse
 * errs by less than a tenth of the margin, which is relative to its value, for ranks below 2^32 and exponents up to 2.
 */
const guideBits = 14;
const guideExponentMax = 2;
const guideMargin = 1e-5;
const guideRankMax = 0xffff;

class UniformRanks implements RankSampler {
  readonly #first: number;
  readonly #count: number;

  constructor(first: number, last: number) {
    this.#first = first;
    this.#count = last - first + 1;
  }

  draw(random: Xoshiro128): number {
    const high = random.nextInt32() >>> 5;
    const low = random.nextInt32() >>> 6;
    let offset = Math.floor(uniformOf(high, low) * this.#count);
    // The product of a uniform close to 1 may round up to the count.
    if (offset === this.#count) offset -= 1;
    return (this.#first - 1 + offset) | 0;
  }

  drawInPlace(random: Xoshiro128): void {
    const high = random.nextInt32() >>> 5;
    const low = random.nextInt32() >>> 6;
    const offset = Math.floor(uniformOf(high, low) * this.#count);
    register[0] = this.#first + Math.min(offset, this.#count - 1);
  }
}

/** The smallest 1 + t of which the logarithm is taken: the grid of doubles below 1. */
const residueMin = -1 + 2 ** -53;

/**
 * The method, in the variable y = rank / first, so that exponent = 32 loses no precision where the first
 * rank is 2: `integral` is ∫ t^−exponent dt from 1 to y, `inverse` its inverse, and `density` the area of
 * one rank's column in the same unit. At exponent = 1 the slope is 0 and the same formulas give log and exp.
 */
class RejectionInversion implements RankSampler {
  readonly #exponent: number;
  readonly #slope: number;
  readonly #steep: boolean;
  readonly #slopeInverse: number;
  readonly #first: number;
  readonly #last: number;
  readonly #areaLast: number;
  readonly #areaSpan: number;
  readonly #areaFirst: number;
  readonly #shift: number;
  /** By slice, 0 where a draw has to be computed; empty without a guide. */
  #guide = new Uint16Array(0);

  constructor(exponent: number, first: number, last: number) {
    this.#exponent = exponent;
    this.#slope = 1 - exponent;
    this.#steep = Math.abs(this.#slope) >= 2 ** -10;
    this.#slopeInverse = this.#steep ? 1 / this.#slope : 0;
    this.#first = first;
    this.#last = last;
    this.#areaFirst = this.#integral(first + 0.5);
    this.#areaLast = this.#integral(last + 0.5);
    this.#areaSpan = this.#areaFirst - 1 / first - this.#areaLast;
    this.#shift = first + 1 - this.#inverse(this.#integral(first + 1.5) - this.#density(first + 1));
  }

  draw(random: Xoshiro128): number {
    for (;;) {
      const high = random.nextInt32() >>> 5;
      const low = random.nextInt32() >>> 6;
      const known = this.#guide[high >>> (27 - guideBits)] ?? 0;
      if (known !== 0) return known - 1;
      const area = this.#areaLast + uniformOf(high, low) * this.#areaSpan;
      // The first rank's column is never rejected.
      if (area <= this.#areaFirst) return (this.#first - 1) | 0;
      register[0] = area;
      this.#invertInPlace();
      const x = register[0];
      let rank = Math.floor(x + 0.5);
      if (rank > this.#last) rank = this.#last;
      if (rank - x <= this.#shift || this.#covers(rank, area)) return (rank - 1) | 0;
    }
  }

  drawInPlace(random: Xoshiro128): void {
    for (;;) {
      const high = random.nextInt32() >>> 5;
      const low = random.nextInt32() >>> 6;
      const known = this.#guide[high >>> (27 - guideBits)] ?? 0;
      register[0] = known;
      if (known !== 0) return;
      const area = this.#areaLast + uniformOf(high, low) * this.#areaSpan;
      register[0] = this.#first;
      if (area <= this.#areaFirst) return;
      register[0] = area;
      this.#invertInPlace();
      const x = register[0];
      const rank = Math.min(Math.floor(x + 0.5), this.#last);
      if (rank - x <= this.#shift || this.#covers(rank, area)) {
        register[0] = rank;
        return;
      }
    }
  }

  /** Looks most ranks up from now on. */
  guide(): void {
    const slices = 2 ** guideBits;
    const edges = Array.from({ length: slices + 1 }, (_, edge) => this.#rankAround(edge / slices));
    this.#guide = Uint16Array.from({ length: slices }, (_, slice) => {
      const rank = edges[slice] ?? 0;
      return rank === edges[slice + 1] && rank <= guideRankMax ? rank : 0;
    });
  }

  /** The rank that a draw and all very near it give; 0 near the edges of a rank. */
  #rankAround(uniform: number): number {
    // Rounded products and sums ascend with their terms: what holds at both ends of a slice holds within it.
    const area = this.#areaLast + uniform * this.#areaSpan;
    if (area <= this.#areaFirst) return this.#first;
    const x = this.#inverse(area);
    const rank = Math.min(Math.floor(x + 0.5), this.#last);
    const margin = x * guideMargin;
    const isInside = rank - x + margin <= this.#shift && x + margin < rank + 0.5 && x - margin > rank - 0.5;
    return isInside ? rank : 0;
  }

  #covers(rank: number, area: number): boolean {
    return area >= this.#integral(rank + 0.5) - this.#density(rank);
  }

  #integral(rank: number): number {
    const logarithm = log(rank / this.#first);
    return expm1OverX(this.#slope * logarithm) * logarithm;
  }

  #inverse(area: number): number {
    register[0] = area;
    this.#invertInPlace();
    return register[0];
  }

  #invertInPlace(): void {
    const area = register[0] ?? 0;
    const t = area * this.#slope;
    if (this.#steep) {
      register[0] = 1 + (t < residueMin ? residueMin : t);
      logInPlace();
      register[0] = (register[0] ?? 0) * this.#slopeInverse;
    } else {
      register[0] = t;
      log1pOverXInPlace();
      register[0] = (register[0] ?? 0) * area;
    }
    expInPlace();
    register[0] = this.#first * (register[0] ?? 0);
  }

  #density(rank: number): number {
    return exp(-this.#exponent * log(rank / this.#first)) / this.#first;
  }
}
