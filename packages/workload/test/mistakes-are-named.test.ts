import { expect, test } from 'vitest';
import transfer from '@fair-bench/workloads/transfer';
import {
  add,
  defineWorkload,
  each,
  equal,
  first,
  found,
  fresh,
  insert,
  int64,
  key,
  less,
  missing,
  operation,
  parseDescription,
  remove,
  row,
  set,
  table,
  text,
  unchecked,
  uniform,
  version,
  WorkloadError,
  writer,
  zipf,
  type OperationWord,
  type TableWord,
} from '../src/index.ts';

const item = table({ rows: 'items', key: 'id', columns: { count: int64(0), name: text(8) } });

function define(change: OperationWord, tables: Record<string, TableWord> = { item }): () => unknown {
  return () =>
    defineWorkload({
      name: 'shop',
      parameters: { items: { type: 'integer', default: 10, min: 1, max: 100, about: 'items' } },
      tables,
      operations: {
        take: { arguments: { id: key('item', uniform()) }, rows: { i: row('item', 'id') }, ...change },
      },
    });
}

test.each([
  [
    'an unknown column',
    { effects: [add('i.cuont', 1)] },
    /take\/effects\/0: no column of i "cuont"; one of id, count, name/,
  ],
  [
    'an unknown argument',
    { effects: [add('i.count', '-amount')] },
    /no argument or row "amount"; one of id, i/,
  ],
  ['an unknown row', { effects: [add('j.count', 1)] }, /no row "j"; one of i/],
  [
    'a sum of texts',
    { effects: [add('i.name', 1)] },
    /add needs a column of type int64; "i.name" is of type text/,
  ],
  ['a key that is set', { effects: [set('i.id', 'id')] }, /"i.id" is a column of the key/],
  [
    'an unknown table',
    { arguments: { id: key('itme', uniform()) } },
    /arguments\/id: no table "itme"; one of item/,
  ],
  [
    'an unknown parameter',
    { arguments: { id: key(uniform('itmes')) } },
    /no parameter "itmes"; one of items/,
  ],
  [
    'an incomplete insert',
    { arguments: { id: key('item', uniform()), n: operation() }, effects: [insert('item', { id: 'id' })] },
    /count: missing: an insert names every column/,
  ],
  [
    'an insert that may repeat',
    {
      arguments: { id: key('item', uniform()), n: int64(1), t: text(8) },
      effects: [insert('item', { id: 'id', count: 'n', name: 't' })],
    },
    /made by fresh\(\) or operation\(\)/,
  ],
  [
    'a text that names nobody',
    { arguments: { id: key('item', uniform()), t: text(8) }, effects: [set('i.name', 't')] },
    /at least 24 characters/,
  ],
  [
    'two types that do not compare',
    { declines: [['x', equal('i.name', 'id')]] as const },
    /a text does not compare with a key/,
  ],
  [
    'a rule that no case reaches',
    { declines: [['x', less('id', 0)]] as const, effects: [add('i.count', 1)] },
    /declines\/0 \(x\): no boundary value/,
  ],
  [
    'texts by their order',
    { declines: [['x', less('i.name', 'i.name')]] as const },
    /declines\/0 \(x\): less compares numbers, got a text/,
  ],
  [
    'an amount from a row',
    { effects: [add('i.count', 'i.count')] },
    /"i.count" is a column of a row; use an argument/,
  ],
  ['nothing to audit', {}, /take\/effects: has no effect and returns no rows/],
  [
    'a column that is set and added to',
    {
      arguments: { id: key('item', uniform()), n: int64(1) },
      effects: [add('i.count', 1), set('i.count', 'n')],
    },
    /item\/columns\/count: is set and added to/,
  ],
  [
    'a column that is added to and left to the server',
    {
      arguments: { id: key('item', fresh()), t: text(8) },
      effects: [insert('item', { id: 'id', count: unchecked, name: 't' }), add('i.count', 1)],
    },
    /count: a column that operations set or add to is inserted as an argument or a constant/,
  ],
  [
    'a column that is set and left to the server',
    {
      arguments: { id: key('item', fresh()), t: text(8) },
      effects: [insert('item', { id: 'id', count: 1, name: unchecked }), set('i.name', 't')],
    },
    /name: a column that operations set or add to is inserted as an argument or a constant/,
  ],
  [
    'a text of another length',
    {
      arguments: { id: key('item', fresh()), t: text(7) },
      effects: [insert('item', { id: 'id', count: 1, name: 't' })],
    },
    /a value of type text\(8\), got text\(7\)/,
  ],
  ['an unknown list', { effects: [each('id', add('i.count', 1))] }, /no list "id"/],
  [
    'a reason that is no word',
    { declines: [['Not Found', less('i.count', 5)]] as const },
    /declines\/0\/reason: lower-case words/,
  ],
  [
    '`not` of another generator',
    { arguments: { id: key('item', uniform()), j: key('item', zipf(1), { not: 'id' }) } },
    /arguments\/j\/not: an argument before this one/,
  ],
  [
    'a bad name',
    { arguments: { id: key('item', uniform()), 'Bad-Name': int64(1) } },
    /arguments\/Bad-Name\/name: a lower-case name/,
  ],
] satisfies [string, OperationWord, RegExp][])('%s', (_name, change, message) => {
  expect(define(change)).toThrow(WorkloadError);
  expect(define(change)).toThrow(message);
});

const versioned = table({ rows: 'items', key: 'id', columns: { version: version('writer'), writer } });
const returns = { v: found('i.version'), w: found('i.writer') };
const writing = { arguments: { n: operation(), id: key('item', uniform()) } };
const both = [add('i.version', 1), set('i.writer', 'n')];

test.each([
  [
    'a write without its writer',
    { ...writing, effects: [add('i.version', 1)], returns },
    /also sets "i.writer"/,
  ],
  [
    'a writer without a write',
    { ...writing, effects: [set('i.writer', 'n')], returns },
    /also sets "i.writer"/,
  ],
  [
    'a write by 2',
    { ...writing, effects: [add('i.version', 2), set('i.writer', 'n')], returns },
    /add\('i.version', 1\)/,
  ],
  [
    'a write that returns nothing',
    { ...writing, effects: both },
    /returns: what it found .* found\('i.version'\)/,
  ],
  [
    'a writer that is no operation',
    { arguments: { n: int64(1), id: key('item', uniform()) }, effects: both, returns },
    /an argument that is operation\(\)/,
  ],
  [
    'a rule that compares it',
    { ...writing, declines: [['x', less('i.version', 5)]] as const, effects: both, returns },
    /which no rule compares/,
  ],
  [
    'two rows that could be one',
    {
      arguments: { n: operation(), id: key('item', uniform()), other: key('item', uniform()) },
      rows: { i: row('item', 'id'), j: row('item', 'other') },
      effects: both,
      returns,
    },
    /"i" and "j" could be one row/,
  ],
  ['half of what was found', { returns: { v: found('i.version') } }, /found\('i.writer'\)/],
  [
    'what is no column',
    { ...writing, effects: both, returns: { ...returns, x: found('n') } },
    /is a column of a row/,
  ],
  [
    'an insert',
    { ...writing, effects: [insert('item', { id: 'id', version: 0, writer: 'n' })] },
    /seeded, not inserted/,
  ],
] satisfies [string, OperationWord, RegExp][])('of a version: %s', (_name, change, message) => {
  expect(define(change, { item: versioned })).toThrow(message);
});

test.each<[string, TableWord, RegExp]>([
  [
    'without its column',
    table({ rows: 'items', key: 'id', columns: { version: version('writer') } }),
    /no column "writer"/,
  ],
  [
    'that may be an operation',
    table({ rows: 'items', key: 'id', columns: { version: version('writer'), writer: int64(0) } }),
    /seeded with -1/,
  ],
])('a version’s writer %s', (_name, wrong, message) => {
  expect(define({ ...writing, effects: both, returns }, { item: wrong })).toThrow(message);
});

test('a version that only is read is enough to audit', () => {
  expect(define({ returns }, { item: versioned })).not.toThrow();
});

test('a table that is wrong', () => {
  expect(define({}, { item: table({ rows: [1, 2], key: 'id', columns: { count: int64(0) } }) })).toThrow(
    /tables\/item\/rows: one number for each of 1 key columns, or 0/,
  );
});

test('a plan with a field too many', () => {
  expect(() => parseDescription({ ...transfer, module: '/tmp/x.ts' }, 'plan.workload')).toThrow(
    /plan.workload: .*module/,
  );
});

test.each([
  [
    'a deleted row that may be missing',
    { rows: { i: row('item', 'id') }, effects: [remove('i')] },
    /a row that is deleted was there: decline the operation where it is missing\("i"\)/,
  ],
  [
    'a first row that the reply does not name',
    { rows: { i: first('item') }, declines: [['empty', missing('i')]], effects: [remove('i')] },
    /the reply says which row it was: found\("i.id"\) is missing/,
  ],
  [
    'a first row that stays',
    {
      rows: { i: first('item') },
      declines: [['empty', missing('i')]],
      effects: [add('i.count', 1)],
      returns: { id: found('i.id', key()) },
    },
    /the first row is deleted by the operation that finds it: remove\("i"\)/,
  ],
  [
    'a deleted row that is added to',
    {
      rows: { i: row('item', 'id') },
      declines: [['unknown', missing('i')]],
      effects: [add('i.count', 1), remove('i')],
    },
    /rows of "item" are deleted: no operation sets a column of it, or adds to one/,
  ],
  [
    'deleted rows that are returned',
    {
      rows: { i: row('item', 'id') },
      declines: [['unknown', missing('i')]],
      effects: [remove('i')],
      returns: row('item', 'id'),
    },
    /rows of "item" are deleted, and take returns some, which is not audited/,
  ],
] satisfies [string, OperationWord, RegExp][])('of deletes: %s', (_name, change, message) => {
  expect(define(change)).toThrow(message);
});
