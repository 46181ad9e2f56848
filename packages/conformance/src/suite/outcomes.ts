import { expect, test } from 'vitest';
import { amountMax, applied, declined, type Outcome, type Transfer } from '@fair-bench/contract';
import type { Fixture } from './fixture.ts';

interface Case {
  readonly behaviour: string;
  readonly transfer: Transfer;
  readonly outcome: Outcome;
}

const insufficient = declined('insufficient-funds');
const missing = declined('missing-account');
const same = declined('same-account');
const nonPositive = declined('non-positive-amount');

/** Seven accounts of 100 each; where two rules apply, the one that comes first in the project's order decides. */
const declines: readonly Case[] = [
  {
    behaviour: 'more than the source has: insufficient funds',
    transfer: { source: 3, target: 4, amount: 101n },
    outcome: insufficient,
  },
  {
    behaviour: 'the largest amount there is: insufficient funds',
    transfer: { source: 5, target: 6, amount: amountMax },
    outcome: insufficient,
  },
  {
    behaviour: 'a source that is not there: missing account',
    transfer: { source: 99, target: 3, amount: 1n },
    outcome: missing,
  },
  {
    behaviour: 'a target that is not there: missing account',
    transfer: { source: 3, target: 99, amount: 1n },
    outcome: missing,
  },
  {
    behaviour: 'a missing account before insufficient funds',
    transfer: { source: 3, target: 99, amount: 101n },
    outcome: missing,
  },
  {
    behaviour: 'an account to itself: same account',
    transfer: { source: 5, target: 5, amount: 1n },
    outcome: same,
  },
  {
    behaviour: 'the same account before a missing one',
    transfer: { source: 99, target: 99, amount: 1n },
    outcome: same,
  },
  {
    behaviour: 'zero: non-positive amount',
    transfer: { source: 3, target: 4, amount: 0n },
    outcome: nonPositive,
  },
  {
    behaviour: 'a negative amount: non-positive amount',
    transfer: { source: 3, target: 4, amount: -1n },
    outcome: nonPositive,
  },
  {
    behaviour: 'a non-positive amount before the same account',
    transfer: { source: 5, target: 5, amount: 0n },
    outcome: nonPositive,
  },
];

const beyond64Bits: readonly Case['transfer'][] = [
  { source: 3, target: 4, amount: amountMax + 1n },
  { source: 5, target: 5, amount: 2n ** 64n + 1n },
  { source: 99, target: 3, amount: -(2n ** 63n) - 1n },
];

export function testOutcomes(fixture: Fixture): void {
  test('applies a transfer in good order, once', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(3, 100n);
    const outcome = await target.withSession((session) =>
      session.execute({ source: 1, target: 2, amount: 100n }),
    );
    expect(outcome, 'execute resolves with the contract’s `applied`').toEqual(applied);
    expect(await target.balances()).toEqual([100n, 0n, 200n]);
  });

  for (const { behaviour, transfer, outcome: expected } of declines) {
    test(`declines ${behaviour}`, async ({ skip }) => {
      const target = fixture.target(skip);
      await target.seed(7, 100n);
      const outcome = await target.withSession((session) => session.execute(transfer));
      expect(outcome, 'a business rule’s answer is a typed decline, not a fault').toEqual(expected);
      expect(await target.balances(), 'a declined transfer changes nothing').toEqual(
        Array.from({ length: 7 }, () => 100n),
      );
    });
  }

  test('refuses an amount beyond 64 bits as invalid-request before any rule, and applies nothing', async ({
    skip,
  }) => {
    const target = fixture.target(skip);
    await target.seed(7, 100n);
    await target.withSession(async (session) => {
      for (const transfer of beyond64Bits) {
        expect(await session.execute(transfer)).toMatchObject({
          kind: 'fault',
          code: 'invalid-request',
          inDoubt: false,
        });
      }
      // The session is as good as before.
      expect(await session.execute({ source: 0, target: 1, amount: 1n })).toEqual(applied);
    });
    expect(await target.balances()).toEqual([99n, 101n, 100n, 100n, 100n, 100n, 100n]);
  });
}
