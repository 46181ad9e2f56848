import { expect, test } from 'vitest';
import transfer from '@fair-bench/workloads/transfer';
import { ComponentSolver } from '../../src/replay/component-solver.ts';
import { Doubts } from '../../src/replay/doubts.ts';
import { objects } from '../paper.ts';
import {
  acknowledged,
  examplesOf,
  lying,
  reasonOf,
  lost,
  trial,
  type Bench,
  type Target,
} from './simulation.ts';

/**
 * Loses the reply of every n-th operation, half of which it executed, and `losses` operations in total that it
 * acknowledges.
 */
const losing =
  (every: number, losses: number) =>
  (bench: Bench): Target => {
    let seen = 0;
    return {
      execute(call) {
        seen += 1;
        if (seen % every === 1 && seen > 1234 && seen <= 1234 + losses * every) return acknowledged;
        if (seen % every !== 0) return bench.honest(call);
        if (seen % (2 * every) === 0) bench.honest(call);
        return lost;
      },
    };
  };

const skewed = { description: transfer, parameters: { accounts: 1000, alpha: 1.5 }, sessions: 10 };
const everybody = { ...skewed, parameters: { accounts: 100_000, alpha: 1.5 }, operations: 5000 };
const few = { ...skewed, parameters: { accounts: 100, alpha: 1.5 } };
const notPassed = /it cannot be decided|no choice of the operations in doubt explains/;

test('one lost among 2,000 in doubt of 50,000: more than 1 % in doubt is void', async () => {
  expect(await reasonOf(trial(losing(25, 1), everybody))).toMatch(
    /2000 of 50000 operations are in doubt, more than 1 %/,
  );
});

test('the run chooses the share', async () => {
  expect(await reasonOf(trial(losing(500, 0), { ...skewed, inDoubtShareMax: 0.001 }))).toMatch(
    /in doubt, more than 0.1 %/,
  );
});

test('one lost among 2,000 in doubt of 50,000, any doubt allowed: it does not pass', async () => {
  expect(await reasonOf(trial(losing(25, 1), { ...everybody, inDoubtShareMax: 1 }))).toMatch(notPassed);
});

test.each([
  [1, 5000, 25],
  [100, 5000, 25],
  [100, 20_000, 100],
])(
  '100 accounts, %d lost among 2,000 in doubt of 10 × %d: undecidable',
  async (losses, operations, every) => {
    expect(await reasonOf(trial(losing(every, losses), { ...few, operations, inDoubtShareMax: 1 }))).toMatch(
      notPassed,
    );
  },
);

test('a few in doubt, applied or not, pass, and one lost beside them does not', async () => {
  const setting = { ...skewed, operations: 1000 };
  const passed = await trial(losing(500, 0), setting);
  expect(examplesOf(passed)).toBe('');
  expect(passed).toMatchObject({ status: 'passed', inDoubt: 20, inDoubtApplied: 10 });
  expect(await reasonOf(trial(losing(500, 1), setting))).toMatch(
    /account.balance of row \d+: expected \d+ \([−+]\d+\)/,
  );
});

test('possible hidden losses are counted: acknowledged operations only on rows in doubt', async () => {
  const none = await trial(losing(1_000_000, 0), { ...skewed, operations: 1000 });
  expect(none).toMatchObject({ inDoubt: 0, couldHide: 0 });
  const some = await trial(losing(500, 0), { ...skewed, operations: 1000 });
  expect(some.couldHide).toBeGreaterThan(0);
  expect(some.couldHide).toBeLessThan(10_000);
  // A third of the accounts are in doubt, and nearly all operations use their rows.
  const most = await trial(losing(100, 0), { ...few, operations: 2000, inDoubtShareMax: 1 });
  expect(most.couldHide).toBeGreaterThan(15_000);
});

test('a search that may take no step decides nothing', () => {
  const doubts = [3, 5, 8].map((amount) => ({ cells: [0], amounts: [amount] }));
  expect(new ComponentSolver([8], doubts).solve().status).toBe('explained');
  expect(new ComponentSolver([8], doubts, 0).solve()).toEqual({ status: 'undecided' });
});

test('amounts beyond what a double holds exactly are undecided', () => {
  const doubts = new Doubts();
  doubts.open(0, 0).adds.set(0, 2n ** 60n);
  const found = doubts.decide(
    new Map([[0, 2n ** 60n]]),
    () => false,
    new Set(),
    () => '',
  );
  expect(found).toEqual({ applied: new Set(), undecidedGroups: 1, undecidedOperations: 1 });
});

test('a sum below what all operations in doubt can take is unexplained', () => {
  expect(new ComponentSolver([-7], [{ cells: [0], amounts: [-5] }]).solve()).toEqual({
    status: 'unexplained',
  });
});

test('in doubt with every effect', async () => {
  const finding = await trial(losing(150, 0), { operations: 1000 });
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({ status: 'passed', inDoubt: 26 });
});

test('one in doubt that did not happen, and another that inserts the same key', async () => {
  const liar = lying('correct', 3, () => lost);
  const description = { ...objects, operations: objects.operations.filter(({ name }) => name === 'correct') };
  expect(await reasonOf(trial(liar, { description, inDoubtShareMax: 1 }))).toBe('');
});
