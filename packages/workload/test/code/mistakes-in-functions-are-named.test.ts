import points from '@fair-bench/workloads/points';
import smallbank from '@fair-bench/workloads/smallbank';
import tpcc from '@fair-bench/workloads/tpcc';
import transfer from '@fair-bench/workloads/transfer';
import { describe, expect, test } from 'vitest';
import { defineWorkload, int64, key, mistakesInFunctions, table, uniform } from '../../src/index.ts';
import type { Chain, Touches } from '../../src/code/program.ts';

/** A workload that halves a number, which depends on what it finds. */
function halving(
  chain: Chain,
  found: (chains: Touches, id: number, writes: number) => void,
  writes: Readonly<Record<string, number>> = { thing: 1 },
) {
  return defineWorkload({
    name: 'halving',
    about: 'Halves a number.',
    parameters: { things: { type: 'integer', default: 10, min: 1, max: 1000, about: 'things' } },
    tables: { thing: table({ rows: 'things', key: 'id', columns: { size: int64(1000), writes: int64(0) } }) },
    chains: { thing: chain },
    operations: {
      halve: {
        arguments: { id: key('thing', uniform()) },
        returns: { writes: int64 },
        code: {
          writes,
          does(tx, given) {
            const row = tx.row('thing', [given.key('id')]);
            const [size, before] = [row.int('size') / 2n, row.int('writes')];
            tx.set('thing', [given.key('id')], { size, writes: before + 1n });
            return { writes: before };
          },
          found(chains, given, [row]) {
            if (row !== undefined) found(chains, given.key('id'), Number(row.int('writes')));
          },
        },
      },
    },
  });
}

const honest: Chain = { table: 'thing', counter: ['writes'] };
const says = (chains: Touches, id: number, writes: number): void => chains.wrote('thing', [id], writes);
const inWords = (description: ReturnType<typeof halving>): string[] =>
  mistakesInFunctions(description).map(({ path, message }) => `${path.join('/')}: ${message}`);

describe('a mistake in functions is named before anything starts', () => {
  test.each([
    [{ table: 'thing', counter: ['written'] }, 'chains/thing: no column "written" in thing'],
    [{ table: 'things', counter: ['writes'] }, 'chains/thing: no table "things"; one of thing'],
    [{ table: 'thing', counter: ['id'] }, 'chains/thing: counts by thing.id, which is no int64'],
    [{ ...honest, keeps: ['colour'] }, 'chains/thing: no column "colour" in thing'],
    [{ table: 'thing' }, 'chains/thing: names the table thing and no `counter`'],
    [{ counter: ['writes'] }, 'chains/thing: counts by writes and names no `table`'],
  ] satisfies [Chain, string][])('a chain %o', (chain, message) => {
    expect(inWords(halving(chain, says))).toEqual([expect.stringContaining(message)]);
  });

  test('`found` that says of no chain what it wrote', () => {
    expect(inWords(halving(honest, () => undefined))).toEqual([
      expect.stringMatching(/^operations\/halve: sets columns, and `found` names no chain/),
    ]);
  });

  test('`found` that names a chain which is not there', () => {
    const other = (chains: Touches, id: number): void => chains.wrote('size', [id], 0);
    expect(inWords(halving(honest, other))).toEqual([
      'operations/halve: there is no chain "size"; there are thing',
    ]);
  });

  test('a table that `writes` does not name', () => {
    expect(inWords(halving(honest, says, {}))).toEqual([
      'operations/halve: operation halve writes thing; name it, with the most rows, in its `writes`',
    ]);
  });
});

test('workloads that are right have none', () => {
  expect(inWords(halving(honest, says))).toEqual([]);
  for (const workload of [points, smallbank, tpcc, transfer])
    expect(mistakesInFunctions(workload)).toEqual([]);
});
