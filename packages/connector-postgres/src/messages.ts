import {
  type ArgumentShape,
  isListValue,
  type ListValue,
  type OperationShape,
  type Values,
} from '@fair-bench/contract';
import { ByteWriter } from './byte-writer.ts';
import type { Prepared } from './calls.ts';
import { parametersOf, type ParameterType, type Statements, statementOf, typesOf } from '@fair-bench/sql';
import { type Texts, textWriter } from './simple-texts.ts';
import { dialect, sqlTypes } from './statements.ts';

/*
 * The messages of calls, byte by byte (PostgreSQL's manual, "Message Formats"). Integers are big-endian; a
 * message is its type, the length of the rest with the length itself, and the rest.
 */

const sync = message('S', '');
/** Execute without a limit of rows, and Sync. */
const executeAndSync = Buffer.concat([message('E', '\0\0\0\0\0'), sync]);

/** Parse for every operation, and one Sync. */
export function parseMessages(operations: readonly OperationShape[], statements: Statements): Buffer {
  const parses = operations.map((operation) => parse(nameOf(operation), operation, statements));
  return Buffer.concat([...parses, sync]);
}

/** Parse and Describe of one unnamed statement, and Sync. */
export function describeMessages(operation: OperationShape, statements: Statements): Buffer {
  return Buffer.concat([parse('', operation, statements), message('D', 'S\0'), sync]);
}

function parse(name: string, operation: OperationShape, statements: Statements): Buffer {
  const oids = operation.arguments.flatMap(typesIn).map(oidOf);
  const writer = new ByteWriter();
  writer.int16s(oids.length);
  writer.int32s(...oids);
  return message('P', `${name}\0${statementOf(operation, statements, dialect)}\0`, writer.written());
}

/** Writes the calls of one operation, one at a time. */
export interface CallWriter {
  /**
   * Bind, Execute and Sync, after a Parse unless it is prepared; or a simple query: one call in one transaction. The buffer is
   * reused for the next call. Throws a RangeError for an integer beyond 64 bits.
   */
  write(values: Values): Buffer;
}

export function callWriter(
  operation: OperationShape,
  { protocol, statements, texts }: Omit<Prepared, 'codec'>,
): CallWriter {
  if (protocol === 'simple') return queryWriter(operation, texts);
  const name = protocol === 'prepared' ? nameOf(operation) : '';
  const types = operation.arguments.map(typesIn);
  const writer = new ByteWriter();
  if (protocol === 'extended') writer.raw(parse(name, operation, statements));
  const lengthAt = writer.at + 1;
  writer.raw(Buffer.from(`B\0\0\0\0\0${name}\0`));
  // Parameters in binary, results in text: the first saves work on both sides, the second is usually empty.
  writer.int16s(1, 1, types.flat().length);
  const parametersAt = writer.at;
  return {
    write(values) {
      writer.at = parametersAt;
      for (let slot = 0; slot < types.length; slot += 1) {
        const value = values[slot];
        if (value === undefined) throw new RangeError(`${operation.name} has ${types.length} arguments`);
        if (isListValue(value)) writeArrays(writer, value, types[slot] ?? []);
        else writer.value(value);
      }
      writer.int16s(0);
      // The length counts itself, and not the message's type.
      writer.lengthAt(lengthAt, writer.at - lengthAt);
      writer.raw(executeAndSync);
      return writer.written();
    },
  };
}

function queryWriter(operation: OperationShape, texts: Texts): CallWriter {
  const write = textWriter(operation, texts);
  const parameters = parametersOf(operation, dialect);
  return { write: (values) => message('Q', `${write(parameters(values))}\0`) };
}

/** One array for each field. */
function writeArrays(
  writer: ByteWriter,
  { length, fields }: ListValue,
  types: readonly ParameterType[],
): void {
  for (const [field, { kind }] of types.entries()) {
    const begin = writer.at;
    // The length comes last; dimensions, no nulls, the elements' type.
    writer.int32s(0, length === 0 ? 0 : 1, 0, sqlTypes[kind].oid);
    // The length of its one dimension and the first index.
    if (length > 0) writer.int32s(length, 1);
    const elements = fields[field] ?? [];
    for (let record = 0; record < length; record += 1) {
      const element = elements[record];
      if (element === undefined) throw new RangeError(`a list of ${length} records has ${record} in a field`);
      writer.value(element);
    }
    writer.lengthAt(begin, writer.at - begin - 4);
  }
}

function typesIn(argument: ArgumentShape): readonly ParameterType[] {
  return typesOf(argument, dialect);
}

function nameOf({ name }: OperationShape): string {
  return `fair_bench_${name}`;
}

function oidOf({ kind, isArray }: ParameterType): number {
  return isArray ? sqlTypes[kind].arrayOid : sqlTypes[kind].oid;
}

function message(type: string, text: string, more: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.from(text);
  const writer = new ByteWriter();
  writer.raw(Buffer.from(type));
  writer.int32s(4 + body.length + more.length);
  writer.raw(body);
  writer.raw(more);
  return Buffer.from(writer.written());
}
