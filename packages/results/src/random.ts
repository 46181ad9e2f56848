const mask64 = 2n ** 64n - 1n;

/** Gives the next 64-bit integer of a stream. */
export type Draw = () => bigint;

/**
 * SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): small, and
 * reproducible in any language. It only decides the order of trials; operations have another generator.
 */
export function splitMix64(seed: bigint): Draw {
  let state = seed & mask64;
  return () => {
    state = (state + 0x9e37_79b9_7f4a_7c15n) & mask64;
    let mixed = state;
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & mask64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & mask64;
    return mixed ^ (mixed >> 31n);
  };
}

/**
 * The seed of a round's operations, the same for every target: the run's own in the first round, then derived from
 * it. So intervals over rounds include the variation from the drawn operations.
 */
export function seedOfRound(seed: string, round: number): string {
  const draw = splitMix64(BigInt(seed));
  let own = BigInt(seed);
  for (let drawn = 0; drawn < round; drawn += 1) own = draw();
  return String(own);
}

/** A shuffled copy (Fisher–Yates): every order is equally likely. */
export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const rest = [...items];
  const result: T[] = [];
  while (rest.length > 0) result.unshift(...rest.splice(below(rest.length, draw), 1));
  return result;
}

/** Uniform in 0 … bound − 1: draws from the incomplete last cycle are rejected. */
function below(bound: number, draw: Draw): number {
  const cycle = BigInt(bound);
  const limit = mask64 + 1n - ((mask64 + 1n) % cycle);
  for (;;) {
    const value = draw();
    if (value < limit) return Number(value % cycle);
  }
}
