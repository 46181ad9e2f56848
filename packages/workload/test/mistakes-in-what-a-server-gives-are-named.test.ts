import { expect, test } from 'vitest';
import {
  add,
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  operation,
  type OperationWord,
  replied,
  returned,
  row,
  rowBy,
  scan,
  table,
  uniform,
} from '../src/index.ts';

const given = table({
  rows: 'items',
  key: 'id',
  columns: { number: int64(-1), time: int64(0), own: int64(-1) },
  indexes: ['number'],
});

const create: OperationWord = {
  arguments: { id: key('given', fresh()), own: operation() },
  effects: [insert('given', { id: 'id', number: returned('number'), time: returned('time'), own: 'own' })],
  returns: { number: int64, time: int64 },
};

/** Tables whose ids and times the server gives, with one operation that reads them. */
function reading(read: OperationWord): () => unknown {
  return () =>
    defineWorkload({
      name: 'given',
      parameters: { items: { type: 'integer', default: 10, min: 1, max: 100, about: 'items' } },
      tables: { given },
      operations: { create, read },
    });
}

const id = key('given', uniform());
const until = (column: string) => scan('given', { limit: 1, until: [column, 'at'] });

test.each([
  ['by an id', { arguments: { number: replied('number') }, returns: rowBy('given', 'number', 'number') }],
  ['as known at a time', { arguments: { at: replied('time', { hold: 9 }) }, returns: until('time') }],
] satisfies [string, OperationWord][])('rows are read %s', (_name, read) => {
  expect(reading(read)).not.toThrow();
});

test.each([
  [
    'a field that no operation returns',
    { arguments: { number: replied('nubmer') }, returns: rowBy('given', 'number', 'number') },
    /read\/arguments\/number: no returned int64 field "nubmer"; one of number, time/,
  ],
  [
    'an operation that writes',
    {
      arguments: { id, number: replied('number') },
      rows: { g: row('given', 'id') },
      effects: [add('g.own', 'number')],
    },
    /an operation that takes replied\(\) only reads: it returns a row or a scan, and has no effects and no declines/,
  ],
  [
    'a drawn argument',
    { arguments: { number: int64(uniform(1, 9)) }, returns: rowBy('given', 'number', 'number') },
    /"number" is compared with an argument of replied\(\), got "number"/,
  ],
  [
    'a column without an index',
    { arguments: { time: replied('time', { initial: 5 }) }, returns: rowBy('given', 'time', 'time') },
    /rows are found by "time": add it to the indexes of "given"/,
  ],
  [
    'a column of the key',
    { arguments: { at: replied('time') }, returns: rowBy('given', 'id', 'at') },
    /no column beside the key of given "id"; one of number, time, own/,
  ],
  [
    'a column that the server does not give',
    { arguments: { at: replied('time', { initial: -1 }) }, returns: until('own') },
    /each insert into "given" has returned\(…\) for "own", which the server gives/,
  ],
  [
    'a first id that seeded rows have',
    {
      arguments: { number: replied('number', { initial: -1 }) },
      returns: rowBy('given', 'number', 'number'),
    },
    /"number" is seeded with a constant that is not the initial value of "number"/,
  ],
  [
    'a first time at which seeded rows were not there',
    { arguments: { at: replied('time', { initial: -7 }) }, returns: until('time') },
    /"time" is seeded with the constant -7, the initial value of "at"/,
  ],
] satisfies [string, OperationWord, RegExp][])('of what the server gives: %s', (_name, read, message) => {
  expect(reading(read)).toThrow(message);
});
