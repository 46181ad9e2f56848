import { expect, test } from 'vitest';
import transfer from '@fair-bench/workloads/transfer';
import { acknowledged, examplesOf, reasonOf, lost, trial, type Bench, type Target } from './simulation.ts';

/** Loses the replies of every so many operations, half of which it carried out, and one operation altogether. */
const losing =
  (every: number, lose: boolean) =>
  (bench: Bench): Target => {
    let seen = 0;
    return {
      execute(call) {
        seen += 1;
        if (lose && seen === 1234) return acknowledged;
        if (seen % every !== 0) return bench.honest(call);
        if (seen % (2 * every) === 0) bench.honest(call);
        return lost;
      },
    };
  };

const skewed = { description: transfer, parameters: { accounts: 1000, alpha: 1.5 }, sessions: 10 };

test('one lost transfer among 2,000 in doubt of 50,000', async () => {
  expect(await reasonOf(trial(losing(25, true), { ...skewed, operations: 5000 }))).toMatch(
    /2000 of 50000 operations are in doubt/,
  );
});

test('one lost transfer among 2,000 in doubt of 200,000: nobody can say', async () => {
  const setting = { ...skewed, parameters: { accounts: 100, alpha: 1.5 }, operations: 20_000 };
  expect(await reasonOf(trial(losing(100, true), setting))).toMatch(
    /nobody can say|no choice of the operations in doubt explains/,
  );
});

test('a few in doubt, applied or not, pass, and one lost beside them does not', async () => {
  const setting = { ...skewed, operations: 1000 };
  const passed = await trial(losing(500, false), setting);
  expect(examplesOf(passed)).toBe('');
  expect(passed).toMatchObject({ status: 'passed', inDoubt: 20, inDoubtApplied: 10 });
  expect(await reasonOf(trial(losing(500, true), setting))).toMatch(
    /account.balance of row \d+: expected \d+ \([−+]\d+\)/,
  );
});

test('in doubt with every effect', async () => {
  const finding = await trial(losing(150, false), { operations: 1000 });
  expect(examplesOf(finding)).toBe('');
  expect(finding).toMatchObject({ status: 'passed', inDoubt: 26 });
});
