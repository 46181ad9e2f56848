import { makeFunctionReference } from 'convex/server';
import { accountsPerSeed } from '../src/functions/limits.ts';
import type { TestedFunctions } from '../src/test-support/index.ts';

const seedRange = makeFunctionReference<'mutation', { first: number; count: number; balance: string }, null>(
  'accounts:seed',
);
const trim = makeFunctionReference<'mutation', { first: number }, number>('accounts:trim');
const page = makeFunctionReference<
  'query',
  { cursor: string | null },
  { ids: number[]; balances: string[]; cursor: string | null }
>('accounts:page');

export async function seed(functions: TestedFunctions, accounts: number, balance: bigint): Promise<void> {
  while ((await functions.mutation(trim, { first: accounts })) > 0);
  for (let first = 0; first < accounts; first += accountsPerSeed) {
    const count = Math.min(accountsPerSeed, accounts - first);
    await functions.mutation(seedRange, { first, count, balance: String(balance) });
  }
}

export interface Page {
  readonly ids: readonly number[];
  readonly balances: readonly string[];
}

export async function pages(functions: TestedFunctions): Promise<readonly Page[]> {
  const all: Page[] = [];
  let cursor: string | null = null;
  do {
    const found: Page & { cursor: string | null } = await functions.query(page, { cursor });
    all.push(found);
    cursor = found.cursor;
  } while (cursor !== null);
  return all;
}

export async function balances(functions: TestedFunctions): Promise<readonly bigint[]> {
  const all: bigint[] = [];
  for (const { ids, balances: texts } of await pages(functions)) {
    for (const [index, id] of ids.entries()) all[id] = BigInt(texts[index] ?? -1);
  }
  return all;
}
