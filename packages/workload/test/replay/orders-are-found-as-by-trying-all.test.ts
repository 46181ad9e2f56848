import { expect, test } from 'vitest';
import { orderOf, type Setter, type Setters } from '../../src/replay/setter-order.ts';
import { refusedStep, type Step } from '../../src/replay/step-order.ts';

/** Reproducible numbers 0 … count − 1. */
function randomFrom(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

function* orders<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [place, first] of items.entries()) {
    for (const rest of orders(items.toSpliced(place, 1))) yield [first, ...rest];
  }
}

function isPermitted(order: readonly Step[], initial: bigint): boolean {
  let value = initial;
  return order.every(({ least, delta }) => {
    const permitted = least === null || value >= least;
    value += delta;
    return permitted;
  });
}

test('steps that add and take, with any guards', () => {
  const random = randomFrom(26);
  const counts = { permitted: 0, refused: 0 };
  for (let round = 0; round < 3000; round += 1) {
    const steps = Array.from({ length: 1 + random(6) }, (): Step => {
      const least = random(4) === 0 ? null : BigInt(random(12) - 4);
      return { least, delta: BigInt(random(11) - 6), doubt: false };
    });
    const initial = BigInt(random(10) - 2);
    const final = steps.reduce((sum, { delta }) => sum + delta, initial);
    const isPossible = [...orders(steps)].some((order) => isPermitted(order, initial));
    expect(refusedStep(steps, initial, final) === null, `${initial} ${JSON.stringify(steps, asText)}`).toBe(
      isPossible,
    );
    counts[isPossible ? 'permitted' : 'refused'] += 1;
  }
  expect(Math.min(counts.permitted, counts.refused)).toBeGreaterThan(300);
});

test('steps that take what they demand need a last value of at least 0, and no more', () => {
  const taking = (amount: bigint): Step => ({ least: amount, delta: -amount, doubt: false });
  const giving: Step = { least: null, delta: 5n, doubt: false };
  expect(refusedStep([taking(7n), giving, taking(8n)], 10n, 0n)).toBeNull();
  expect(refusedStep([taking(7n), giving, taking(9n)], 10n, -1n)).toMatchObject({ most: 6n });
});

test('a step in doubt counts where it helps', () => {
  const demanding: Step = { least: 9n, delta: 0n, doubt: false };
  const giving: Step = { least: null, delta: 5n, doubt: true };
  expect(refusedStep([demanding], 4n, 4n)).toMatchObject({ step: demanding, most: 4n });
  expect(refusedStep([demanding, giving], 4n, 4n)).toBeNull();
  const taking: Step = { least: 9n, delta: -4n, doubt: false };
  expect(refusedStep([taking], 4n, 0n)).toMatchObject({ step: taking, most: 4n });
  expect(refusedStep([taking, { least: 0n, delta: -5n, doubt: true }], 4n, 0n)).toBeNull();
  // One in doubt must have been permitted too.
  expect(refusedStep([demanding, { ...giving, least: 5n }], 4n, 4n)).toMatchObject({ step: demanding });
});

/** Whether some order within the times, with or without those in doubt, permits all and ends with the final value. */
function isOrdered({ setters, permits, initial, final }: Setters): boolean {
  const tried = (left: readonly Setter[], value: bigint | null): boolean => {
    const must = left.filter(({ doubt }) => !doubt);
    if (must.length === 0 && value === final) return true;
    return left.some((setter, place) => {
      if (must.some((other) => other !== setter && other.settledUs < setter.sentUs)) return false;
      const isFree = setter.rule === -1 || value === null || permits[setter.rule]?.(value) === true;
      return isFree && tried(left.toSpliced(place, 1), setter.to);
    });
  };
  return tried(setters, initial);
}

test.each([
  [
    'compare with constants',
    (random: (count: number) => number) => [1n, 2n].map((bound) => rule(random(3), bound)),
  ],
  [
    'compare with arguments',
    (random: (count: number) => number) =>
      Array.from({ length: 30 }, () => rule(random(3), BigInt(random(4)))),
  ],
])('setters whose rules %s, with times', (_, rules) => {
  const random = randomFrom(7);
  const counts = { permitted: 0, refused: 0, undecided: 0 };
  for (let round = 0; round < 3000; round += 1) {
    const permits = rules(random);
    const setters = Array.from({ length: 1 + random(6) }, (): Setter => {
      const sentUs = random(12);
      const doubt = random(6) === 0;
      const settledUs = doubt ? 0xffff_ffff : sentUs + 1 + random(6);
      return { sentUs, settledUs, doubt, rule: random(permits.length + 1) - 1, to: BigInt(random(4)) };
    });
    const initial = random(5) === 0 ? null : BigInt(random(4));
    // A last value that the rules tell apart from no other is any of these.
    const input: Setters = { setters, permits, initial, final: setters[random(setters.length)]?.to ?? 0n };
    const alike = [0n, 1n, 2n, 3n].filter((value) =>
      permits.length > 24
        ? value === input.final
        : permits.every((each) => each(value) === each(input.final)),
    );
    const expected = alike.some((final) => isOrdered({ ...input, final })) ? 'permitted' : 'refused';
    const found = orderOf(input, { stepsLeft: 1e6 });
    expect(found, JSON.stringify({ ...input, permits: permits.length }, asText)).toBe(expected);
    counts[found] += 1;
  }
  expect(Math.min(counts.permitted, counts.refused)).toBeGreaterThan(300);
  expect(counts.undecided).toBe(0);
});

test('thousands of setters in turn are ordered at once', () => {
  const permits = [(value: bigint): boolean => value === 0n, (value: bigint): boolean => value === 1n];
  const inTurn = (lastingUs: number): Setter[] =>
    Array.from({ length: 20_000 }, (_, place) => ({
      sentUs: place * 10,
      settledUs: place * 10 + lastingUs,
      doubt: false,
      rule: place % 2,
      to: place % 2 === 0 ? 1n : 0n,
    }));
  const ordered = (setters: Setter[], final: bigint): string =>
    orderOf({ setters, permits, initial: 0n, final }, { stepsLeft: 1e6 });
  // Each is outstanding together with the four after it.
  expect(ordered(inTurn(45), 0n)).toBe('permitted');
  expect(ordered(inTurn(45).toSpliced(9_001, 1), 0n)).toBe('refused');
  // Taken twice, one after the other: the counts would permit it, the times do not.
  expect(ordered(inTurn(9).toSpliced(9_001, 1), 1n)).toBe('refused');
});

test('a search that takes too many steps is undecided', () => {
  const setters = Array.from({ length: 40 }, (_, place): Setter => ({
    sentUs: 0,
    settledUs: 1000,
    doubt: false,
    rule: place,
    to: BigInt((place * 7) % 40),
  }));
  const permits = setters.map(
    (_, place) =>
      (value: bigint): boolean =>
        (Number(value) * 11) % 40 === (place * 3) % 37,
  );
  expect(orderOf({ setters, permits, initial: 0n, final: 99n }, { stepsLeft: 100 })).toBe('undecided');
});

function rule(kind: number, bound: bigint): (value: bigint) => boolean {
  if (kind === 0) return (value) => value !== bound;
  return kind === 1 ? (value) => value >= bound : (value) => value <= bound;
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
