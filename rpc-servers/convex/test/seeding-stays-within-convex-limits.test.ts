import { makeFunctionReference } from 'convex/server';
import { expect, test } from 'vitest';
import { functionNames, rowsPerLoad, rowsPerPage } from '../src/index.ts';
import { accounts, functionsOf, pages, seed } from './dataset.ts';

const count = 2 * rowsPerPage + 1;

// The model enforces Convex's documented limits of a transaction: documents and bytes read and written.
test('more rows than one transaction takes are loaded, read back and cleared', async () => {
  const functions = await accounts(count, 7n);
  const read = await pages(functions, 'account');
  expect(read.map(({ length }) => length)).toEqual([rowsPerPage, rowsPerPage, 1]);
  expect(read.flat()).toEqual(Array.from({ length: count }, (_value, id) => [id, '7']));
  await seed(functions, 'account', []);
  expect((await pages(functions, 'account')).flat()).toEqual([]);
});

test('a call that would write more than a transaction takes is refused', async () => {
  const load = makeFunctionReference<'mutation', { table: string; rows: (number | string)[][] }, null>(
    functionNames.load,
  );
  const rows = Array.from({ length: rowsPerLoad + 1 }, (_value, id) => [id, '1']);
  const call = functionsOf('transfer').mutation(load, { table: 'account', rows });
  await expect(call).rejects.toThrow(`at most ${rowsPerLoad} rows`);
});

test('rows are found by their keys, and missing ones are left out', async () => {
  const functions = await accounts(10, 3n);
  const find = makeFunctionReference<'query', { table: string; keys: number[][] }, unknown>(
    functionNames.find,
  );
  const found = await functions.query(find, { table: 'account', keys: [[9], [99], [0]] });
  expect(found).toEqual([
    [9, '3'],
    [0, '3'],
  ]);
});
