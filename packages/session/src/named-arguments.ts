import type { ArgumentShape, ColumnShape, ListValue, Values } from '@fair-bench/contract';

/** An operation's arguments by name; a `list` is an array of records. `Bytes` is the client's type for bytes. */
export type Arguments<Bytes = Uint8Array> = Record<string, Cell<Bytes> | Record<string, Cell<Bytes>>[]>;
type Cell<Bytes> = number | bigint | boolean | string | Bytes;

type Fields = ListValue['fields'];

const int64Max = 9_223_372_036_854_775_807n;
const int64Min = -9_223_372_036_854_775_808n;

/**
 * Compiles a function that names an operation's arguments, for a client that takes them as an object; no call looks a
 * type up. The function throws a RangeError for an `int64` beyond 64 bits.
 */
export function namedArguments<Bytes>(
  all: readonly ArgumentShape[],
  bytes: (value: Uint8Array) => Bytes,
): (values: Values) => Arguments<Bytes> {
  const members = all.map((argument, slot) => `${argument.name}: ${source(argument, slot)}`);
  // oxlint-disable-next-line typescript/no-implied-eval -- The names are identifiers: the description's schema has checked them.
  const compiled: unknown = new Function('tools', `return (v) => ({ ${members.join(', ')} });`)({
    int64,
    records,
    bytes,
  });
  if (!isNaming<Bytes>(compiled)) throw new Error('the arguments of an operation did not compile');
  return compiled;
}

function isNaming<Bytes>(value: unknown): value is (values: Values) => Arguments<Bytes> {
  return typeof value === 'function';
}

function source(argument: ArgumentShape, slot: number): string {
  if (argument.kind === 'scalar') return cell(argument.type, `v[${slot}]`);
  const fields = argument.fields.map(({ name, type }, field) => `${name}: ${cell(type, `f[${field}][i]`)}`);
  return `tools.records(v[${slot}], (f, i) => ({ ${fields.join(', ')} }))`;
}

function cell({ kind }: ColumnShape['type'], value: string): string {
  return kind === 'int64' || kind === 'bytes' ? `tools.${kind}(${value})` : value;
}

function int64(value: bigint): bigint {
  if (value > int64Max || value < int64Min) throw new RangeError(`${value} is beyond 64 bits`);
  return value;
}

function records<Record>(
  { length, fields }: ListValue,
  record: (fields: Fields, index: number) => Record,
): Record[] {
  return Array.from({ length }, (_value, index) => record(fields, index));
}
