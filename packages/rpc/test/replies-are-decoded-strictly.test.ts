import { expect, test } from 'vitest';
import { applied, type OperationOutcome, refused, type WorkloadShape } from '@fair-bench/contract';
import { codecsOf, type OperationCodec } from '../src/codec/codec.ts';
import { appliedText, decodeOutcome, encodeOutcome } from '../src/codec/outcome.ts';

const columns = [
  { name: 'id', type: { kind: 'key' } },
  { name: 'number', type: { kind: 'int64' } },
  { name: 'flag', type: { kind: 'bool' } },
  { name: 'words', type: { kind: 'text', length: 20 } },
  { name: 'raw', type: { kind: 'bytes', length: 4 } },
] as const;
const scalars = columns.map(({ name, type }) => ({ kind: 'scalar', name, type }) as const);
const workload: WorkloadShape = {
  name: 'every-type',
  tables: [{ name: 'row', columns, keyColumns: 1, indexes: [], written: false }],
  operations: [
    { name: 'nothing', arguments: scalars, reasons: ['no'], returns: { kind: 'nothing' }, writes: true },
    { name: 'row', arguments: [], reasons: [], returns: { kind: 'row', table: 0 }, writes: false },
    {
      name: 'fields',
      arguments: [{ kind: 'list', name: 'lines', max: 2, fields: columns }],
      reasons: [],
      returns: { kind: 'fields', fields: columns },
      writes: true,
    },
  ],
};
const [nothing, row, fields] = codecsOf(workload);
const values = [
  4_294_967_295,
  -9_223_372_036_854_775_808n,
  true,
  'a "b"\\\u0000',
  Buffer.from([0, 255]),
] as const;

const decode = (status: number, text: string, codec: OperationCodec | undefined = nothing) => {
  if (codec === undefined) throw new Error('no codec');
  return decodeOutcome(codec, status, Buffer.from(text));
};

test('the common reply is the shared object, as 30 bytes', () => {
  expect(appliedText).toBe('{"kind":"applied","retries":0}');
  expect(decode(200, appliedText)).toBe(applied);
});

test('every outcome survives the wire', () => {
  const fault = refused('deadlock', 'gave up', 10);
  expect(decode(409, encodeOutcome(fault))).toEqual(fault);
  for (const outcome of [
    { kind: 'applied', reply: null, retries: 2 },
    { kind: 'declined', reason: 'no', retries: 0 },
  ] satisfies OperationOutcome[]) {
    expect(decode(200, encodeOutcome(outcome))).toEqual(outcome);
  }
});

test('rows and fields of every type survive the wire', () => {
  const rows = { kind: 'applied', reply: { kind: 'rows', rows: [values] }, retries: 0 } as const;
  expect(decode(200, encodeOutcome(rows), row)).toEqual(rows);
  const none = { kind: 'applied', reply: { kind: 'rows', rows: [] }, retries: 0 } as const;
  expect(decode(200, encodeOutcome(none), row)).toEqual(none);
  const typed = { kind: 'applied', reply: { kind: 'fields', fields: values }, retries: 1 } as const;
  expect(decode(200, encodeOutcome(typed), fields)).toEqual(typed);
});

test('arguments of every type survive the wire, lists too', () => {
  expect(nothing?.readValues(JSON.parse(nothing.encode(values)))).toEqual(values);
  const list = { length: 2, fields: values.map((value) => [value, value]) };
  expect(fields?.readValues(JSON.parse(fields.encode([list])))).toEqual([list]);
  expect(fields?.named([list])).toEqual({ lines: [named(), named()] });
});

test('an invalid outcome, or one that contradicts its status or operation, leaves the operation in doubt', () => {
  const doubtful = { kind: 'fault', code: 'protocol-error', inDoubt: true };
  expect(decode(200, '')).toMatchObject(doubtful);
  expect(decode(200, '<html>')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"applied"}')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"applied","retries":0,"x":1}')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"applied","reply":{"rows":[]},"retries":0}')).toMatchObject(doubtful);
  expect(decode(200, '{"kind":"declined","reason":"other","retries":0}')).toMatchObject(doubtful);
  expect(decode(500, appliedText)).toMatchObject(doubtful);
  expect(decode(200, encodeOutcome(refused('deadlock', 'gave up')))).toMatchObject(doubtful);
  expect(decode(200, appliedText, row)).toMatchObject(doubtful);
  expect(
    decode(200, '{"kind":"applied","reply":{"rows":[[1,"2",true,"x"]]},"retries":0}', row),
  ).toMatchObject(doubtful);
  expect(
    decode(200, '{"kind":"applied","reply":{"rows":[[1,2,true,"x",""]]},"retries":0}', row),
  ).toMatchObject(doubtful);
});

function named(): object {
  return Object.fromEntries(columns.map(({ name }, place) => [name, values[place]]));
}
