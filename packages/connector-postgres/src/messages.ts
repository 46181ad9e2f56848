import type {
  ArgumentShape,
  ListValue,
  OperationShape,
  ScalarValue,
  Value,
  Values,
} from '@fair-bench/contract';
import { type ParameterType, sqlTypes, type Statements, statementOf, typesOf } from './statements.ts';

/*
 * The messages of prepared calls, byte by byte (PostgreSQL's manual, "Message Formats"). Integers are big-endian; a
 * message is its type, the length of the rest with the length itself, and the rest.
 */

const sync = message('S', Buffer.alloc(0));
const portal = Buffer.from('\0');

/** Parse for every operation, and one Sync. */
export function parseMessages(operations: readonly OperationShape[], statements: Statements): Buffer {
  const parses = operations.map((operation) => {
    const oids = operation.arguments.flatMap(typesOf).map(oidOf);
    const text = statementOf(operation, statements);
    return message('P', nameOf(operation), Buffer.from(`${text}\0`), int16s(oids.length), int32s(...oids));
  });
  return Buffer.concat([...parses, sync]);
}

/** Makes the calls of one operation. */
export interface CallWriter {
  /** Bind, Execute and Sync: one call in one transaction. The buffer may be the one of the call before. */
  write(values: Values): Buffer;
}

/** A writer for one call at a time: where every parameter has a fixed length its one buffer is filled in. */
export function callWriter(operation: OperationShape): CallWriter {
  const fields = operation.arguments.map(fixedOf);
  const fixed = fields.flatMap((field) => (field === null ? [] : [field]));
  return fixed.length === fields.length ? fixedWriter(operation, fixed) : variableWriter(operation);
}

interface FixedField {
  readonly length: number;
  readonly write: (buffer: Buffer, value: Value | undefined, at: number) => void;
}

function fixedOf(argument: ArgumentShape): FixedField | null {
  if (argument.kind === 'list') return null;
  const { kind } = argument.type;
  if (kind === 'key') {
    return { length: 8, write: (buffer, value, at) => void buffer.writeUInt32BE(Number(value), at + 4) };
  }
  if (kind === 'int64') {
    return {
      length: 8,
      write: (buffer, value, at) => void buffer.writeBigInt64BE(typeof value === 'bigint' ? value : 0n, at),
    };
  }
  if (kind !== 'bool') return null;
  return { length: 1, write: (buffer, value, at) => void buffer.writeUInt8(value === true ? 1 : 0, at) };
}

function fixedWriter(operation: OperationShape, fields: readonly FixedField[]): CallWriter {
  const parameters = fields.map(({ length }) => Buffer.concat([int32s(length), Buffer.alloc(length)]));
  const buffer = call(operation, parameters);
  let at = bindHead(operation).length + messageHeadBytes;
  const places = fields.map(({ length, write }) => {
    const place = { at: at + 4, write };
    at += 4 + length;
    return place;
  });
  return {
    write(values) {
      for (let slot = 0; slot < places.length; slot += 1) {
        const place = places[slot];
        place?.write(buffer, values[slot], place.at);
      }
      return buffer;
    },
  };
}

function variableWriter(operation: OperationShape): CallWriter {
  const types = operation.arguments.map(typesOf);
  return {
    write: (values) =>
      call(
        operation,
        values.flatMap((value, slot) => parametersOf(value, types[slot] ?? [])),
      ),
  };
}

function parametersOf(value: Value, types: readonly ParameterType[]): Buffer[] {
  if (isList(value)) return types.map(({ kind }, field) => sized(arrayOf(value, field, kind)));
  return types.map(({ kind }) => sized(binaryOf(value, kind)));
}

/** Dimensions, no nulls, the elements' type; then of the one dimension its length and its first index. */
function arrayOf({ length, fields }: ListValue, field: number, kind: ParameterType['kind']): Buffer {
  const elements = (fields[field] ?? []).slice(0, length).map((value) => sized(binaryOf(value, kind)));
  return Buffer.concat([int32s(1, 0, sqlTypes[kind].oid, length, 1), ...elements]);
}

function binaryOf(value: ScalarValue, kind: ParameterType['kind']): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(kind === 'key' ? BigInt(value) : BigInt.asIntN(64, BigInt(value)));
  return buffer;
}

const messageHeadBytes = 5;

/** What a Bind has before its parameters: portal, statement, one format for all of them, and their number. */
function bindHead(operation: OperationShape): Buffer {
  const count = operation.arguments.flatMap(typesOf).length;
  return Buffer.concat([portal, nameOf(operation), int16s(1, 1, count)]);
}

function call(operation: OperationShape, parameters: readonly Buffer[]): Buffer {
  // Parameters in binary, results in text: the first saves work on both sides, the second is mostly nothing.
  const bind = message('B', bindHead(operation), ...parameters, int16s(0));
  return Buffer.concat([bind, message('E', portal, int32s(0)), sync]);
}

function nameOf({ name }: OperationShape): Buffer {
  return Buffer.from(`fair_bench_${name}\0`);
}

function oidOf({ kind, isArray }: ParameterType): number {
  return isArray ? sqlTypes[kind].arrayOid : sqlTypes[kind].oid;
}

function isList(value: Value): value is ListValue {
  return typeof value === 'object' && !(value instanceof Uint8Array);
}

function sized(value: Buffer): Buffer {
  return Buffer.concat([int32s(value.length), value]);
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32s(body.length + 4), body]);
}

function int32s(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeInt32BE(value, 4 * index);
  return buffer;
}

function int16s(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeInt16BE(value, 2 * index);
  return buffer;
}
