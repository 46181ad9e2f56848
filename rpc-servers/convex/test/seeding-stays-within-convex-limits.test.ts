import { makeFunctionReference } from 'convex/server';
import { expect, test } from 'vitest';
import { accountsPerPage, accountsPerSeed } from '../src/functions/limits.ts';
import { testedFunctions } from '../src/test-support/index.ts';
import { balances, pages, seed } from './dataset.ts';

const accounts = 2 * accountsPerPage + 1;

// The model enforces what Convex documents of a transaction: documents and bytes that are read and written.
test('more accounts than one transaction takes are seeded, changed, trimmed and read back', async () => {
  const functions = testedFunctions();
  await seed(functions, accounts, 7n);
  const read = await pages(functions);
  expect(read.map(({ ids }) => ids.length)).toEqual([accountsPerPage, accountsPerPage, 1]);
  expect(read.flatMap(({ ids }) => [...ids])).toEqual(Array.from({ length: accounts }, (_v, id) => id));
  await seed(functions, accountsPerSeed + 1, 1_000_000_000n);
  expect(await balances(functions)).toEqual(
    Array.from({ length: accountsPerSeed + 1 }, () => 1_000_000_000n),
  );
  await seed(functions, 0, 0n);
  expect(await balances(functions)).toEqual([]);
});

test('a call that would write more than a transaction takes is refused', async () => {
  const seedRange = makeFunctionReference<
    'mutation',
    { first: number; count: number; balance: string },
    null
  >('accounts:seed');
  const call = testedFunctions().mutation(seedRange, { first: 0, count: accountsPerSeed + 1, balance: '1' });
  await expect(call).rejects.toThrow(`at most ${accountsPerSeed} accounts`);
});
