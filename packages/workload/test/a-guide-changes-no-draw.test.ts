import { expect, test } from 'vitest';
import { register } from '../src/draw/elementary.ts';
import { createGuidedSampler, createRankSampler } from '../src/draw/rank-sampler.ts';
import { Xoshiro128 } from '../src/draw/xoshiro128.ts';

const draws = 10_000;

test.each([0.2, 0.5, 0.99, 1, 1.0005, 1.3, 2, 3])('ranks by exponent %d', (exponent) => {
  const ends = [
    [1, 1],
    [1, 2],
    [2, 9],
    [1, 1_000],
    [1, 100_000],
    [1, 10_000_000_000],
  ] as const;
  for (const [first, last] of ends) {
    const ranks = [createGuidedSampler, createRankSampler].map((create) => {
      const sampler = create(exponent, first, last);
      const random = new Xoshiro128(Uint32Array.of(1, 2, 3, 4));
      const drawn = new Float64Array(2 * draws);
      for (let draw = 0; draw < drawn.length; draw += 2) {
        drawn[draw] = sampler.draw(random);
        sampler.drawInPlace(random);
        drawn[draw + 1] = register[0] ?? 0;
      }
      return drawn;
    });
    expect(ranks[0], `${first} … ${last}`).toEqual(ranks[1]);
  }
});
