import type { OperationShape, ScalarValue, StatementProtocol } from '@fair-bench/contract';
import { type Parameter, statementOf, type Statements, typesOf } from '@fair-bench/sql';
import { escapeLiteral } from 'pg';
import { z } from 'zod';
import { dialect, sqlTypeOf } from './statements.ts';

/** A statement in pieces: its text, and the places of its parameters from 0. */
const piecesSchema = z.array(z.union([z.string(), z.int().min(0)]));
type Pieces = z.infer<typeof piecesSchema>;

/** The statements of a session that sends simple queries, by operation. */
export const textsSchema = z.record(z.string(), piecesSchema);
export type Texts = Readonly<Record<string, Pieces>>;

/** Those of a workload; empty for a protocol that sends the values beside the statement. */
export function textsFor(
  protocol: StatementProtocol,
  operations: readonly OperationShape[],
  statements: Statements,
): Texts {
  if (protocol !== 'simple') return {};
  return Object.fromEntries(operations.map((operation) => [operation.name, piecesOf(operation, statements)]));
}

/** What is quoted or a comment, where a `$1` is no parameter; and parameters. */
const tokens =
  /\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$[^]*?\$\1\$|--[^\n]*|\/\*[^]*?\*\/|\$(\d+)/g;

/** Each parameter has its type, as a driver would declare it: a quoted value alone has none. */
function piecesOf(operation: OperationShape, statements: Statements): Pieces {
  const statement = statementOf(operation, statements, dialect);
  const types = operation.arguments.flatMap((argument) => typesOf(argument, dialect));
  const pieces: Pieces = [];
  let [text, from] = ['', 0];
  for (const { place, begin, end } of parametersIn(statement)) {
    const type = types[place];
    if (type === undefined) continue;
    pieces.push(text + statement.slice(from, begin), place);
    text = `::${sqlTypeOf(type)}`;
    from = end;
  }
  return [...pieces, text + statement.slice(from)];
}

/** The parameters of a statement: their places from 0, and where they stand. */
function parametersIn(statement: string) {
  return [...statement.matchAll(tokens)].flatMap(({ 0: whole, 2: number, index }) =>
    number === undefined ? [] : [{ place: Number(number) - 1, begin: index, end: index + whole.length }],
  );
}

/** A statement with other texts for its parameters, by their places; null leaves one as it is. */
export function withParameters(statement: string, textAt: (place: number) => string | null): string {
  let [text, from] = ['', 0];
  for (const { place, begin, end } of parametersIn(statement)) {
    text += statement.slice(from, begin) + (textAt(place) ?? statement.slice(begin, end));
    from = end;
  }
  return text + statement.slice(from);
}

/** Compiles the function that writes an operation's statement with its values in it. */
export function textWriter({ name }: OperationShape, texts: Texts): (values: readonly Parameter[]) => string {
  const pieces = texts[name];
  if (pieces === undefined) throw new Error(`the operation ${name} has no text for simple queries`);
  return (values) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : literalOf(values[piece]))).join('');
}

function literalOf(value: Parameter | undefined): string {
  if (value === undefined) throw new RangeError('the operation has fewer arguments than its statement');
  if (typeof value !== 'object' || value instanceof Uint8Array) return escapeLiteral(textOf(value));
  return escapeLiteral(arrayText(value));
}

/** An array as PostgreSQL reads it from text. */
export function arrayText(values: readonly ScalarValue[]): string {
  const elements = values.map((element) => `"${textOf(element).replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return `{${elements.join(',')}}`;
}

/** A value as PostgreSQL reads it from text. */
function textOf(value: ScalarValue): string {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value);
}
