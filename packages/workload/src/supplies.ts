import { ContentPool } from './draw/content.ts';
import { register } from './draw/elementary.ts';
import { Permutation } from './draw/permutation.ts';
import { createGuidedSampler, createRankSampler, type RankSampler } from './draw/rank-sampler.ts';
import { foldItem } from './draw/scale.ts';
import { purposes, seedWords } from './draw/splitmix64.ts';
import type { Xoshiro128 } from './draw/xoshiro128.ts';
import type { PlannedWorkload, ResolvedArgument } from './resolved.ts';

/** What all streams of a workload share, by the number that the generated source uses. */
export class Supplies {
  readonly items: unknown[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #workload: PlannedWorkload;

  constructor(workload: PlannedWorkload) {
    this.#workload = workload;
  }

  ranks(exponent: number, first: number, last: number): number {
    return this.#once(`ranks ${exponent} ${first} ${last}`, () => createGuidedSampler(exponent, first, last));
  }

  folded(exponent: number, count: number): number {
    return this.#once(`folded ${exponent} ${count}`, () => new FoldedRanks(exponent, count));
  }

  permutation(table: number, count: number): number {
    return this.#once(`permutation ${table} ${count}`, () => {
      const words = seedWords(this.#workload.seed, 0, purposes.permutation(table), 8);
      return new Permutation(words, count);
    });
  }

  bigs(min: bigint, count: number): number {
    return this.#once(`bigs ${min} ${count}`, () =>
      Array.from({ length: count }, (_, index) => min + BigInt(index)),
    );
  }

  /** A name for each number, of one syllable for each digit. */
  names({ syllables, digits }: { readonly syllables: readonly string[]; readonly digits: number }): number {
    return this.#once(`names ${digits} ${syllables.join(' ')}`, () =>
      Array.from({ length: 10 ** digits }, (_, number) =>
        Array.from({ length: digits }, (_digit, place) => {
          const power = 10 ** (digits - 1 - place);
          return syllables[Math.floor(number / power) % 10];
        }).join(''),
      ),
    );
  }

  pool(): number {
    return this.#once('pool', () => poolOf(this.#workload.seed));
  }

  /** Storage for the values used so far by a list's records; drawing is not interrupted, so one suffices. */
  scratch(all: readonly ResolvedArgument[]): number {
    const length = all.reduce(
      (most, argument) => (argument.kind === 'list' ? Math.max(most, argument.max) : most),
      0,
    );
    this.items.push(new Int32Array(length));
    return this.items.length - 1;
  }

  keyOf(key: number): number {
    if (key < 2 ** 32) return key;
    throw new Error(
      `${this.#workload.name}: fresh keys have passed 2^32; use fewer sessions or a shorter trial`,
    );
  }

  #once(name: string, make: () => unknown): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.items.push(make());
    this.#numbers.set(name, this.items.length - 1);
    return this.items.length - 1;
  }
}

let poolLast: { readonly seed: bigint; readonly pool: ContentPool } | null = null;

/** The pool of a seed; the last one is cached. */
export function poolOf(seed: bigint): ContentPool {
  if (poolLast?.seed !== seed) poolLast = { seed, pool: new ContentPool(seed) };
  return poolLast.pool;
}

const distinctTriesMax = 64;

/**
 * An index that differs from the first `count` of `taken`, to which it is appended: the first of 64 draws that does,
 * otherwise the lowest. (At a high exponent, redrawing alone would hardly end.)
 */
export function distinctIndex(taken: Int32Array, count: number, draw: () => number): number {
  let index = draw() | 0;
  for (let tries = 1; includes(taken, count, index); tries += 1) {
    if (tries === distinctTriesMax) {
      index = 0;
      while (includes(taken, count, index)) index += 1;
    } else {
      index = draw() | 0;
    }
  }
  taken[count] = index;
  return index >>> 0;
}

function includes(taken: Int32Array, count: number, index: number): boolean {
  for (let place = 0; place < count; place += 1) if (taken[place] === index) return true;
  return false;
}

const ycsbItems = 1e10;

/** Ranks of 10¹⁰ items, folded onto 0 … count − 1. */
class FoldedRanks {
  readonly #ranks: RankSampler;
  readonly #count: number;

  constructor(exponent: number, count: number) {
    this.#ranks = createGuidedSampler(exponent, 1, ycsbItems);
    this.#count = count;
  }

  draw(random: Xoshiro128): number {
    this.#ranks.drawInPlace(random);
    return foldItem((register[0] ?? 1) - 1, this.#count);
  }
}

/** Ranks of a session's own inserts, newest first, and then of the seeded rows, the last first. */
export class LatestRanks {
  readonly #exponent: number;
  readonly #rows: number;
  #count = -1;
  #ranks: RankSampler | null = null;

  constructor(exponent: number, rows: number) {
    this.#exponent = exponent;
    this.#rows = rows;
  }

  /** The key; 0 while there is no row. */
  draw(random: Xoshiro128, inserts: number, sessions: number, session: number): number {
    if (this.#ranks === null || inserts !== this.#count) {
      this.#count = inserts;
      this.#ranks = createRankSampler(this.#exponent, 1, Math.max(1, this.#rows + inserts));
    }
    const index = this.#ranks.draw(random) >>> 0;
    if (index < inserts) return this.#rows + (inserts - 1 - index) * sessions + session;
    return Math.max(0, this.#rows - 1 - (index - inserts));
  }
}
