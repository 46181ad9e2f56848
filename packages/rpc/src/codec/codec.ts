import {
  type ArgumentShape,
  type ColumnShape,
  columnsOf,
  type ListValue,
  type OperationShape,
  type ScalarValue,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import { argumentsSchema, bodyBytesMax } from './limits.ts';
import { replyReader, type ReadReply } from './reply.ts';

/** An operation's arguments by name, as a binding takes them: a `list` is an array of records. */
export type Arguments = Readonly<Record<string, ArgumentValue>>;
export type ArgumentValue = ScalarValue | readonly Readonly<Record<string, ScalarValue>>[];

/** A mistake in a request's body that its schema cannot find. */
export class RequestError extends Error {
  readonly statusCode = 400;
}

/** The wire format of one operation: compiled once from the workload's shape, so no request looks a type up. */
export interface OperationCodec {
  readonly operation: OperationShape;
  readonly path: string;
  /** The body of a request, from the arguments in declared order. */
  encode(values: Values): string;
  /** The JSON schema of a request's body, for the HTTP server. */
  readonly bodySchema: Readonly<Record<string, unknown>>;
  readonly bodyBytesMax: number;
  /**
   * The arguments of a body that the schema has accepted, in declared order; throws a RequestError for an integer beyond
   * 64 bits.
   */
  readValues(body: unknown): Values;
  /** Arguments by name. */
  named(values: Values): Arguments;
  /** The columns of the rows or the fields that it returns; null when it returns nothing. */
  readonly returned: readonly ColumnShape[] | null;
  /** A reply from its JSON, or `undefined` when it does not belong to this operation. */
  readonly readReply: ReadReply;
}

const codecsByWorkload = new WeakMap<WorkloadShape, readonly OperationCodec[]>();

/** The codecs of a workload's operations, by their numbers; shared by all sessions. */
export function codecsOf(workload: WorkloadShape): readonly OperationCodec[] {
  const known = codecsByWorkload.get(workload);
  if (known !== undefined) return known;
  const made = workload.operations.map((operation) => {
    const { returns } = operation;
    const columns = columnsOf(workload, returns);
    return {
      operation,
      path: `/${operation.name}`,
      ...compile(operation.arguments),
      bodySchema: argumentsSchema(operation.arguments),
      bodyBytesMax: bodyBytesMax(operation.arguments),
      returned: returns.kind === 'nothing' ? null : columns,
      readReply: replyReader(returns, columns),
    };
  });
  codecsByWorkload.set(workload, made);
  return made;
}

type Compiled = Pick<OperationCodec, 'encode' | 'readValues' | 'named'>;
type Type = ColumnShape['type'];

/** Source code for these arguments: the description's schema has checked that names are identifiers. */
function compile(all: readonly ArgumentShape[]): Compiled {
  const encoded = all.map((argument, slot) => `'"${argument.name}":' + ${encodedArgument(argument, slot)}`);
  const named = all.map((argument, slot) => `${argument.name}: ${namedArgument(argument, slot)}`);
  const text = [
    "'use strict';",
    `return { encode(v) { return '{' + ${encoded.join(" + ',' + ") || "''"} + '}'; },`,
    `readValues(b) { return [${all.map(readArgument).join(', ')}]; },`,
    `named(v) { return { ${named.join(', ')} }; } };`,
  ].join('\n');
  // oxlint-disable-next-line typescript/no-implied-eval -- The source is made here from a shape that a schema has checked.
  const compiled: unknown = new Function('tools', text)({ int64, bytes, base64, list, records });
  if (!isCompiled(compiled)) throw new Error('the codec of an operation did not compile');
  return compiled;
}

function isCompiled(value: unknown): value is Compiled {
  return (
    typeof value === 'object' &&
    value !== null &&
    'encode' in value &&
    'readValues' in value &&
    'named' in value
  );
}

function encodedArgument(argument: ArgumentShape, slot: number): string {
  if (argument.kind === 'scalar') return encodedScalar(argument.type, `v[${slot}]`);
  const fields = argument.fields.map(
    ({ name, type }, field) => `'"${name}":' + ${encodedScalar(type, `f[${field}][i]`)}`,
  );
  return `tools.list(v[${slot}], (f, i) => '{' + ${fields.join(" + ',' + ")} + '}')`;
}

function encodedScalar({ kind }: Type, value: string): string {
  if (kind === 'int64') return `'"' + ${value} + '"'`;
  if (kind === 'text') return `JSON.stringify(${value})`;
  return kind === 'bytes' ? `tools.base64(${value})` : value;
}

function readArgument(argument: ArgumentShape): string {
  const member = `b.${argument.name}`;
  if (argument.kind === 'scalar') return readScalar(argument.type, member, argument.name);
  const fields = argument.fields.map(
    ({ name, type }) => `${member}.map((r) => ${readScalar(type, `r.${name}`, `${argument.name}/${name}`)})`,
  );
  return `{ length: ${member}.length, fields: [${fields.join(', ')}] }`;
}

function namedArgument(argument: ArgumentShape, slot: number): string {
  if (argument.kind === 'scalar') return `v[${slot}]`;
  const fields = argument.fields.map(({ name }, field) => `${name}: f[${field}][i]`);
  return `tools.records(v[${slot}], (f, i) => ({ ${fields.join(', ')} }))`;
}

function readScalar({ kind }: Type, value: string, path: string): string {
  if (kind === 'int64') return `tools.int64(${value}, '${path}')`;
  return kind === 'bytes' ? `tools.bytes(${value})` : value;
}

/** A decimal of this many characters always fits into 64 bits. */
const safeLength = 18;

function int64(text: string, path: string): bigint {
  const value = BigInt(text);
  if (text.length > safeLength && BigInt.asIntN(64, value) !== value) {
    throw new RequestError(`body/${path} must fit into 64 bits`);
  }
  return value;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

function base64(value: Uint8Array): string {
  return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
}

type Fields = ListValue['fields'];

function list(value: ListValue, record: (fields: Fields, index: number) => string): string {
  return `[${records(value, record).join(',')}]`;
}

function records<Record>(
  { length, fields }: ListValue,
  record: (fields: Fields, index: number) => Record,
): Record[] {
  return Array.from({ length }, (_value, index) => record(fields, index));
}
