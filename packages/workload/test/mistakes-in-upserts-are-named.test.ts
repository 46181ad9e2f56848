import { expect, test } from 'vitest';
import {
  add,
  defineWorkload,
  insert,
  insertIfMissing,
  int64,
  key,
  less,
  missing,
  operation,
  type OperationWord,
  remove,
  row,
  set,
  table,
  text,
  uniform,
} from '../src/index.ts';

const item = table({
  rows: 'items',
  key: 'id',
  columns: { count: int64(0), name: text(24), made: int64(0) },
});
const given = { id: key('item', uniform()), n: int64(uniform(1, 9)), t: text(24), u: text(24) };
const rows = { i: row('item', 'id') };
const columns = { id: 'id', count: 0, name: 't', made: 0 };
const sums = [add('i.count', 'n'), set('i.name', 't')];

function defining(change: OperationWord, other: OperationWord = {}): () => unknown {
  return () =>
    defineWorkload({
      name: 'shop',
      parameters: { items: { type: 'integer', default: 10, min: 1, max: 100, about: 'items' } },
      tables: { item },
      operations: {
        put: { arguments: given, rows, effects: [insertIfMissing('item', columns), ...sums], ...change },
        ...(Object.keys(other).length === 0 ? {} : { other: { arguments: given, rows, ...other } }),
      },
    });
}

test('an upsert adds to a row and sets columns of it, whoever inserts it', () => {
  expect(defining({})).not.toThrow();
  expect(
    defining({}, { effects: [insertIfMissing('item', { ...columns, name: 'u' }), set('i.name', 'u')] }),
  ).not.toThrow();
});

test.each([
  [
    'a column that is set, and not by the operation',
    { effects: [insertIfMissing('item', columns), add('i.count', 'n')] },
    { effects: [set('i.name', 'u')] },
    /put\/effects\/0\/name: "name" is set: the operation also sets it to the same argument, after the insert/,
  ],
  [
    'a column that is set to another argument',
    { effects: [insertIfMissing('item', columns), set('i.name', 'u')] },
    {},
    /"name" is set: the operation also sets it to the same argument/,
  ],
  [
    'a column that is set before the insert',
    { effects: [set('i.name', 't'), insertIfMissing('item', columns)] },
    {},
    /"name" is set: the operation also sets it to the same argument, after the insert/,
  ],
  [
    'a column with an argument',
    { effects: [insertIfMissing('item', { ...columns, made: 'n' }), ...sums] },
    {},
    /"made" is a constant: it is the same whichever operation inserts the row/,
  ],
  [
    'two constants for one column',
    {},
    { effects: [insertIfMissing('item', { ...columns, made: 1, name: 'u' }), set('i.name', 'u')] },
    /"made" is \d in one insert into "item", and another value in another/,
  ],
  [
    'another insert',
    {},
    {
      arguments: { ...given, id: operation() },
      rows: {},
      effects: [insert('item', { ...columns, name: 'u' })],
    },
    /every insert into "item" is insertIfMissing, or none/,
  ],
  [
    'a delete',
    {},
    { declines: [['unknown', missing('i')]], effects: [remove('i')] },
    /rows of "item" are deleted: a key of one must never return/,
  ],
  [
    'a rule',
    {},
    { declines: [['too-few', less('i.count', 'n')]], effects: [add('i.count', '-n')] },
    /rows of "item" come to be by several operations: no rule of other looks at one/,
  ],
] satisfies [string, OperationWord, OperationWord, RegExp][])('%s', (_name, put, other, message) => {
  expect(defining(put, other)).toThrow(message);
});
