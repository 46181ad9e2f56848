import type { ArgumentShape, ColumnShape } from '@fair-bench/contract';

type Type = ColumnShape['type'];
type Schema = Readonly<Record<string, unknown>>;

/** For white space, which our own client does not send. */
const spareBytes = 1_024;
const decimalDigitsMax = 40;

/** The JSON schema of a request's body: exactly these arguments, none converted to its type. */
export function argumentsSchema(all: readonly ArgumentShape[]): Schema {
  return objectSchema(all.map((argument) => [argument.name, argumentSchema(argument)]));
}

/** The longest body that these arguments can have, in bytes. */
export function bodyBytesMax(all: readonly ArgumentShape[]): number {
  return spareBytes + objectBytes(all.map((argument) => [argument.name, argumentBytes(argument)]));
}

function argumentSchema(argument: ArgumentShape): Schema {
  if (argument.kind === 'scalar') return scalarSchema(argument.type);
  const items = objectSchema(argument.fields.map(({ name, type }) => [name, scalarSchema(type)]));
  return { type: 'array', maxItems: argument.max, items };
}

function objectSchema(members: readonly (readonly [string, Schema])[]): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    required: members.map(([name]) => name),
    properties: Object.fromEntries(members),
  };
}

function scalarSchema(type: Type): Schema {
  if (type.kind === 'text') return { type: 'string', maxLength: type.length, pattern: '^[\\x00-\\x7f]*$' };
  if (type.kind === 'bytes') {
    return {
      type: 'string',
      maxLength: base64Length(type.length),
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    };
  }
  if (type.kind === 'key') return { type: 'integer', minimum: 0, maximum: 0xffff_ffff };
  if (type.kind === 'int64') return { type: 'string', pattern: `^-?[0-9]{1,${decimalDigitsMax}}$` };
  return { type: 'boolean' };
}

function argumentBytes(argument: ArgumentShape): number {
  if (argument.kind === 'scalar') return scalarBytes(argument.type);
  const record = objectBytes(argument.fields.map(({ name, type }) => [name, scalarBytes(type)]));
  return 2 + argument.max * (record + 1);
}

/** Braces, and for each member its name in quotes, a colon and a comma. */
function objectBytes(members: readonly (readonly [string, number])[]): number {
  return members.reduce((sum, [name, bytes]) => sum + name.length + 4 + bytes, 2);
}

function scalarBytes(type: Type): number {
  // A control character is six bytes: \u001f.
  if (type.kind === 'text') return 2 + 6 * type.length;
  if (type.kind === 'bytes') return 2 + base64Length(type.length);
  if (type.kind === 'key') return 10;
  return type.kind === 'int64' ? decimalDigitsMax + 3 : 5;
}

function base64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
