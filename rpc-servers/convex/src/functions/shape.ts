import { v, type PropertyValidators, type Validator, type Value } from 'convex/values';

/*
 * A workload's shape, as far as the functions need it: the JSON of the contract's WorkloadShape, which is pushed with
 * them. Nothing of the harness is bundled.
 */

export interface Column {
  readonly name: string;
  readonly type:
    | { readonly kind: 'key' | 'int64' | 'bool' }
    | { readonly kind: 'text' | 'bytes'; readonly length: number };
}

export interface TableShape {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly keyColumns: number;
  readonly indexes: readonly (readonly string[])[];
}

export type Argument =
  | { readonly kind: 'scalar'; readonly name: string; readonly type: Column['type'] }
  | {
      readonly kind: 'list';
      readonly name: string;
      readonly max: number;
      readonly fields: readonly Column[];
    };

export interface Operation {
  readonly name: string;
  readonly arguments: readonly Argument[];
  readonly reasons: readonly string[];
  readonly returns:
    | { readonly kind: 'nothing' }
    | { readonly kind: 'row' | 'rows'; readonly table: number }
    | { readonly kind: 'fields'; readonly fields: readonly Column[] }
    | { readonly kind: 'records'; readonly fields: readonly Column[] };
}

export interface Workload {
  readonly name: string;
  readonly tables: readonly TableShape[];
  readonly operations: readonly Operation[];
}

/** A cell in JSON: an `int64` is a decimal string, `bytes` are base64. */
export type Json = number | boolean | string;

const validators: Readonly<Record<Column['type']['kind'], Validator<Value>>> = {
  key: v.number(),
  int64: v.int64(),
  bool: v.boolean(),
  text: v.string(),
  bytes: v.bytes(),
};

/** The validators of a table's documents. */
export function validatorsOf(columns: readonly Column[]): PropertyValidators {
  return Object.fromEntries(columns.map(({ name, type }) => [name, validators[type.kind]]));
}

export function tableOf({ name, tables }: Workload, table: string): TableShape {
  const found = tables.find((one) => one.name === table);
  if (found === undefined) throw new Error(`the workload ${name} has no table ${table}`);
  return found;
}

export function toJson(value: Value | undefined): Json {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof ArrayBuffer) return toBase64(value);
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
  throw new Error('a row lacks a column, or has a value of a type that no column has');
}

/** A value that a schema or the harness has already checked. */
export function fromJson(json: Json, { kind }: Column['type']): Value {
  if (kind === 'int64') return BigInt(json);
  return kind === 'bytes' ? fromBase64(String(json)) : json;
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}
