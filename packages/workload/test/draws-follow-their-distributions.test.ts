import { expect, test } from 'vitest';
import { foldItem, scale } from '../src/draw/scale.ts';
import {
  createSlots,
  createStream,
  defaultParameters,
  resolveWorkload,
  type Workload,
} from '../src/index.ts';
import { distinctIndex, LatestRanks, poolOf, Supplies } from '../src/supplies.ts';
import { Xoshiro128 } from '../src/draw/xoshiro128.ts';
import { feed, order, ycsb } from './paper.ts';

test('scale and fold agree with big integers', () => {
  for (let index = 0; index < 20_000; index += 1) {
    const word = Math.imul(index, 2_654_435_761) >>> 0;
    const count = 1 + (Math.imul(index, 40_503 * 65_537) >>> 0);
    expect(scale(word, count)).toBe(Number((BigInt(word) * BigInt(count)) >> 32n));
    const item = word * 4096 + index;
    let hash = 0xcbf2_9ce4_8422_2325n;
    for (let octet = 0n; octet < 8n; octet += 1n) {
      hash = BigInt.asUintN(64, (hash ^ ((BigInt(item) >> (8n * octet)) & 255n)) * 0x100_0000_01b3n);
    }
    const signed = BigInt.asIntN(64, hash);
    expect(foldItem(item, count)).toBe(Number((signed < 0n ? -signed : signed) % BigInt(count)));
  }
});

test('operations are drawn by their weights', () => {
  const counts = [0, 0, 0, 0, 0];
  draw(open(ycsb, { mix: 'b' }), 20_000, (operation) => (counts[operation] = (counts[operation] ?? 0) + 1));
  expect(counts[1]).toBeGreaterThan(850);
  expect(counts[1]).toBeLessThan(1150);
  expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(20_000);
});

test('items of an order differ, even if one item gets nearly every draw', () => {
  for (const alpha of [0, 1, 32]) {
    draw(open(order, { alpha, items: 5 }), 2000, (_, [, , lines]) => {
      const items =
        typeof lines === 'object' && 'fields' in lines ? lines.fields[0]?.slice(0, lines.length) : [];
      expect(new Set(items).size).toBe(items?.length);
    });
  }
});

test('`not` of a uniform draw never repeats, and all other values are equally likely', () => {
  const workload = open(feed, { users: 5 });
  const befriend = workload.operations.map((each) => ({ ...each, weight: each.name === 'befriend' ? 1 : 0 }));
  const counts = new Map<string, number>();
  draw({ ...workload, operations: befriend }, 20_000, (_, pair) => {
    counts.set(pair.map(Number).join(''), (counts.get(pair.map(Number).join('')) ?? 0) + 1);
  });
  expect(counts.size).toBe(20);
  for (const [pair, count] of counts) {
    expect(pair[0]).not.toBe(pair[1]);
    expect(count).toBeGreaterThan(800);
    expect(count).toBeLessThan(1200);
  }
});

test('fresh keys of sessions differ, and latest favours them', () => {
  const keys = new Set<unknown>();
  let inserts = 0;
  let own = 0;
  let unknown = 0;
  for (const session of [0, 1, 2]) {
    draw(
      open(ycsb, { mix: 'd', keys: 'latest' }),
      5000,
      (operation, [id]) => {
        if (operation === 2) {
          keys.add(id);
          inserts += 1;
        } else if (Number(id) >= 1000) {
          own += 1;
          if (!keys.has(id)) unknown += 1;
        }
      },
      session,
    );
  }
  expect(keys.size).toBe(inserts);
  expect(unknown).toBe(0);
  expect(own).toBeGreaterThan(5000);
});

test('streams share a supply only where all that makes it is the same', () => {
  const supplies = new Supplies(open(ycsb, {}));
  const numbers = [
    supplies.ranks(1, 1, 9),
    supplies.ranks(2, 1, 9),
    supplies.ranks(1, 2, 9),
    supplies.ranks(1, 1, 8),
    supplies.folded(1, 9),
    supplies.folded(2, 9),
    supplies.permutation(0, 9),
    supplies.permutation(1, 9),
    supplies.permutation(0, 8),
    supplies.bigs(0n, 9),
    supplies.bigs(1n, 9),
    supplies.bigs(0n, 8),
    supplies.pool(),
  ];
  expect(new Set(numbers).size).toBe(numbers.length);
  expect([supplies.ranks(1, 1, 9), supplies.bigs(1n, 9)]).toEqual([numbers[0], numbers[10]]);
  expect(poolOf(2n).text(12, 0, 0, 5)).not.toBe(poolOf(1n).text(12, 0, 0, 5));
  const lists = open(order, {}).operations.flatMap((operation) => operation.arguments);
  const longest = supplies.scratch(
    lists.flatMap((one) => (one.kind === 'list' ? [one, { ...one, max: 1 }] : [])),
  );
  expect(supplies.items[longest]).toHaveLength(
    Math.max(...lists.map((one) => (one.kind === 'list' ? one.max : 0))),
  );
  expect(supplies.keyOf(2 ** 32 - 1)).toBe(2 ** 32 - 1);
  expect(() => supplies.keyOf(2 ** 32)).toThrow('fresh keys have passed 2^32');
});

test('draws at their bounds', () => {
  const random = new Xoshiro128(Uint32Array.of(1, 2, 3, 4));
  const latest = new LatestRanks(1, 0);
  expect(latest.draw(random, 0, 3, 1)).toBe(0);
  // The only insert of session 1 of 3.
  expect(latest.draw(random, 1, 3, 1)).toBe(1);
  const taken = Int32Array.of(0, 1, 2, 7, 7);
  expect(distinctIndex(taken, 3, () => 1)).toBe(3);
  expect([...taken]).toEqual([0, 1, 2, 3, 7]);
  // What an earlier list left behind is free.
  expect(distinctIndex(taken, 1, () => 7)).toBe(7);
});

function open(description: typeof ycsb, parameters: Record<string, unknown>): Workload {
  return resolveWorkload(description, { ...defaultParameters(description), ...parameters });
}

function draw(
  workload: Workload,
  count: number,
  each: (operation: number, values: ReturnType<typeof createSlots>[number]) => void,
  session = 0,
): void {
  const stream = createStream(workload, { session, sessions: 3 });
  const slots = createSlots(workload);
  for (let drawn = 0; drawn < count; drawn += 1) {
    const operation = stream.next(slots);
    each(operation, slots[operation] ?? []);
  }
}
