import type { OperationStream, Transfer } from '@fair-bench/contract';
import type { TransferParameters } from './parameters.ts';
import { Permutation } from './permutation.ts';
import { createRankSampler, type RankSampler } from './rank-sampler.ts';
import { purposes, seedWords } from './splitmix64.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/**
 * The stream of one session: the k-th operation of (seed, session) is fixed by SPECIFICATION.md, whatever
 * the target, the threads or the order of completions.
 */
export function createTransferStream(
  parameters: TransferParameters,
  session: number,
): OperationStream<Transfer> {
  const shared = sharedOf(parameters);
  const seed = BigInt(parameters.seed);
  const random = new Xoshiro128(seedWords(seed, session, purposes.operations, 4));
  return new TransferStream(random, shared);
}

interface Shared {
  /** Draws the index of a rank: rank − 1. */
  readonly ranks: RankSampler;
  /** The same distribution without rank 1. */
  readonly ranksFromSecond: RankSampler;
  readonly idOf: { apply(index: number): number };
  readonly amountMax: number;
  readonly amounts: readonly bigint[];
}

class TransferStream implements OperationStream<Transfer> {
  readonly #random: Xoshiro128;
  readonly #shared: Shared;

  constructor(random: Xoshiro128, shared: Shared) {
    this.#random = random;
    this.#shared = shared;
  }

  next(operation: Transfer): void {
    const random = this.#random;
    const { ranks, ranksFromSecond, idOf, amountMax, amounts } = this.#shared;
    const source = ranks.draw(random);
    let target: number;
    if (source === 0) {
      // "Redraw until it is not rank 1" in one draw: at a high alpha nearly every redraw would be rank 1.
      target = ranksFromSecond.draw(random);
    } else {
      // No rank but the first has more than half of the probability.
      do target = ranks.draw(random);
      while (target === source);
    }
    const index = Math.floor(((random.nextInt32() >>> 0) * amountMax) / 4_294_967_296);
    operation.source = idOf.apply(source) >>> 0;
    operation.target = idOf.apply(target) >>> 0;
    operation.amount = amounts[index] ?? BigInt(index + 1);
  }
}

/** Amounts up to here come from a table, so that an operation allocates no big integer. */
const amountsTabled = 65_536;

const sharedByParameters = new WeakMap<TransferParameters, Shared>();

/** What all sessions of a trial have in common, built once. */
function sharedOf(parameters: TransferParameters): Shared {
  const known = sharedByParameters.get(parameters);
  if (known !== undefined) return known;
  const { seed, accounts, alpha, scramble, amountMax } = parameters;
  const shared: Shared = {
    ranks: createRankSampler(alpha, 1, accounts),
    ranksFromSecond: createRankSampler(alpha, 2, accounts),
    idOf: scramble ? new Permutation(BigInt(seed), accounts) : identity,
    amountMax,
    amounts: Array.from({ length: Math.min(amountMax, amountsTabled) }, (_, index) => BigInt(index + 1)),
  };
  sharedByParameters.set(parameters, shared);
  return shared;
}

const identity = { apply: (index: number): number => index };
