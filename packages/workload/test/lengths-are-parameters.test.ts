import { expect, test } from 'vitest';
import {
  add,
  createSlots,
  createStream,
  defaultParameters,
  defineWorkload,
  fresh,
  insert,
  int64,
  key,
  type OperationWord,
  resolveWorkload,
  seededPages,
  set,
  shapeOf,
  table,
  text,
  uniform,
  row,
} from '../src/index.ts';

function define(change: OperationWord, length: number | string = 'size') {
  const notes = { count: int64(0), body: text(length) };
  return defineWorkload({
    name: 'notes',
    parameters: {
      notes: { type: 'integer', default: 5, min: 1, max: 100, about: 'notes' },
      size: { type: 'integer', default: 30, min: 23, max: 100, about: 'characters' },
      most: { type: 'integer', default: 30, min: 1, max: 65_537, about: 'characters' },
      share: { type: 'number', default: 30, min: 1, max: 100, about: 'characters' },
    },
    tables: { note: table({ rows: 'notes', key: 'id', columns: notes }) },
    operations: {
      take: { arguments: { id: key('note', uniform()) }, rows: { n: row('note', 'id') }, ...change },
    },
  });
}

const writing: OperationWord = {
  arguments: { id: key('note', fresh()), t: text('size') },
  effects: [insert('note', { id: 'id', count: 0, body: 't' })],
};

test.each([23, 30, 100])('rows and arguments have as many characters as the parameter says: %s', (size) => {
  const description = define(writing);
  const workload = resolveWorkload(description, { ...defaultParameters(description), size });
  const [slots, stream] = [createSlots(workload), createStream(workload, { session: 0, sessions: 1 })];
  for (let count = 0; count < 10; count += 1) {
    stream.next(slots);
    expect(slots[0]?.[1]).toHaveLength(size);
  }
  const [page = []] = workload.tables.flatMap((each) => [...seededPages(workload, each)]);
  expect(page.map((cells) => String(cells[2]).length)).toEqual([size, size, size, size, size]);
  expect(shapeOf(workload)).toMatchObject({
    tables: [{ columns: [{}, {}, { type: { kind: 'text', length: size } }] }],
    operations: [{ arguments: [{}, { type: { kind: 'text', length: size } }] }],
  });
});

const counting = { rows: { n: row('note', 'id') }, effects: [add('n.count', 1)] };
const drawing = (length: string): OperationWord => ({
  ...counting,
  arguments: { id: key('note', uniform()), t: text(length) },
});

test.each<[string, OperationWord, string, RegExp]>([
  [
    'a text that names nobody at the smallest value of its parameter',
    { arguments: { id: key('note', uniform()), t: text('size') }, effects: [set('n.body', 't')] },
    'size',
    /a text that is set has at least 24 characters, which name its writer; "n.body" has 23/,
  ],
  [
    'two parameters',
    { arguments: { id: key('note', fresh()), t: text('share') }, effects: writing.effects ?? [] },
    'size',
    /a value of type text\(size\), got text\(share\)/,
  ],
  ['what is no parameter', drawing('sizes'), 'size', /t\/length: no parameter "sizes"; one of notes, size/],
  ['what is no integer', drawing('share'), 'size', /t\/length: parameter "share" is of type number/],
  ['what lengths are not', drawing('most'), 'size', /"most" goes beyond 1 to 65536; narrow its range/],
  ['an unknown column', counting, 'sizes', /note\/columns\/body\/length: no parameter "sizes"/],
])('the mistake is named: %s', (_name, change, length, message) => {
  expect(() => define(change, length)).toThrow(message);
});
