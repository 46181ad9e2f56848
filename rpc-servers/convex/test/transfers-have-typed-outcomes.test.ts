import { makeFunctionReference } from 'convex/server';
import { expect, test } from 'vitest';
import { operationFunction } from '../src/index.ts';
import { accounts, balances } from './dataset.ts';

const transfer = makeFunctionReference<
  'mutation',
  { source: number; target: number; amount: bigint },
  unknown
>(operationFunction('transfer'));
const amountMax = 9_223_372_036_854_775_807n;

test('an applied transfer moves its amount, and nothing else', async () => {
  const functions = await accounts(3, 100n);
  expect(await functions.mutation(transfer, { source: 1, target: 2, amount: 100n })).toBeNull();
  expect(await balances(functions)).toEqual([100n, 0n, 200n]);
});

test.for([
  { source: 0, target: 1, amount: 101n, reason: 'insufficient-funds' },
  { source: 0, target: 1, amount: amountMax, reason: 'insufficient-funds' },
  { source: 99, target: 1, amount: 1n, reason: 'missing-account' },
  { source: 0, target: 99, amount: 101n, reason: 'missing-account' },
  { source: 99, target: 99, amount: 1n, reason: 'same-account' },
  { source: 99, target: 99, amount: 0n, reason: 'non-positive-amount' },
  { source: 0, target: 1, amount: -1n, reason: 'non-positive-amount' },
])('$amount from $source to $target is declined: $reason', async ({ reason, ...request }) => {
  const functions = await accounts(3, 100n);
  expect(await functions.mutation(transfer, request)).toEqual({ declined: reason });
  expect(await balances(functions)).toEqual([100n, 100n, 100n]);
});

test('a balance beyond 64 bits is refused and changes nothing', async () => {
  const functions = await accounts(2, amountMax);
  await expect(functions.mutation(transfer, { source: 0, target: 1, amount: 1n })).rejects.toThrow(
    '9223372036854775808',
  );
  expect(await balances(functions)).toEqual([amountMax, amountMax]);
});

test('opposite transfers at the same time all end, and add up', async () => {
  const functions = await accounts(2, 1_000n);
  await Promise.all(
    Array.from({ length: 40 }, async (_value, index) =>
      index % 2 === 0
        ? await functions.mutation(transfer, { source: 0, target: 1, amount: 3n })
        : await functions.mutation(transfer, { source: 1, target: 0, amount: 1n }),
    ),
  );
  expect(await balances(functions)).toEqual([960n, 1_040n]);
});
