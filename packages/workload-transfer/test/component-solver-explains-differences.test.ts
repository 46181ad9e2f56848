import { expect, test } from 'vitest';
import { ComponentSolver, type Edge } from '../src/component-solver.ts';
import { explain } from '../src/in-doubt.ts';
import { Xoshiro128 } from '../src/xoshiro128.ts';

const random = new Xoshiro128(Uint32Array.of(5, 6, 7, 8));
const upTo = (bound: number) => (random.nextInt32() >>> 0) % bound;

function randomEdges(vertices: number, count: number, amountMax: number): Edge[] {
  return Array.from({ length: count }, () => {
    const source = upTo(vertices);
    return { source, target: (source + 1 + upTo(vertices - 1)) % vertices, amount: 1 + upTo(amountMax) };
  });
}

function effectOf(edges: readonly Edge[], vertices: number): number[] {
  const effect = Array.from({ length: vertices }, () => 0);
  for (const { source, target, amount } of edges) {
    effect[source] = (effect[source] ?? 0) - amount;
    effect[target] = (effect[target] ?? 0) + amount;
  }
  return effect;
}

test('agrees with trying every subset', () => {
  let explained = 0;
  const rounds = 2000;
  for (let round = 0; round < rounds; round += 1) {
    const vertices = 2 + upTo(4);
    const edges = randomEdges(vertices, 1 + upTo(8), 6);
    const effects = Array.from({ length: 2 ** edges.length }, (_, subset) =>
      effectOf(
        edges.filter((_edge, index) => (subset >> index) & 1),
        vertices,
      ).join(),
    );
    const residuals = effectOf(randomEdges(vertices, upTo(4), 6), vertices);
    const { status } = new ComponentSolver(residuals, edges).solve();
    expect(status).toBe(effects.includes(residuals.join()) ? 'explained' : 'unexplained');
    if (status === 'explained') explained += 1;
  }
  // Both answers were put to the test.
  expect(explained).toBeGreaterThan(rounds / 10);
  expect(explained).toBeLessThan((rounds * 9) / 10);
});

test('finds a subset among hundreds of transfers between two accounts', () => {
  const edges = randomEdges(2, 400, 1000);
  const applied = edges.filter((_, index) => index % 2 === 0);
  expect(new ComponentSolver(effectOf(applied, 2), edges).solve().status).toBe('explained');
});

test('what it cannot settle in its bound is plausible, not explained', () => {
  // Even amounts have no odd sum; to know that takes all subsets.
  const edges = Array.from({ length: 60 }, (_, index) => ({
    source: 0,
    target: 1,
    amount: 1000 + 2 * index,
  }));
  const solver = new ComponentSolver([-31_001, 31_001], edges, 100_000);
  expect(solver.solve()).toEqual({ status: 'plausible', applied: 0 });
});

test('accounts with one undecided transfer are settled without a search', () => {
  const chain = Array.from({ length: 50 }, (_, index) => ({
    source: index,
    target: index + 1,
    amount: 9 - (index % 7),
  }));
  const applied = chain.filter((_, index) => index % 3 === 0);
  const solver = new ComponentSolver(effectOf(applied, 51), chain, 0);
  expect(solver.solve()).toEqual({ status: 'explained', applied: applied.length });
});

test('differences that make or lose money are unexplained, also where a search would not end', () => {
  const operations = Array.from({ length: 60 }, (_, index) => ({
    source: 8,
    target: 9,
    amount: BigInt(1000 + 2 * index),
  }));
  const component = { accounts: [8, 9], operations };
  const differences = new Map([
    [8, -31_001n],
    [9, 31_003n],
  ]);
  expect(explain(component, differences)).toEqual({ status: 'unexplained' });
});
