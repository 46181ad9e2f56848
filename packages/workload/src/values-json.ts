import { isListValue, type ScalarValue, type Value, type Values } from '@fair-bench/contract';
import type { ScalarType } from './schema.ts';
import type { ResolvedArgument } from './resolved.ts';

/** A `key` is a number, an `int64` a decimal string, bytes are base64, a list is an array of records. */
type JsonValue = string | number | boolean | readonly (readonly (string | number | boolean)[])[];

export function valueToJson(value: Value): JsonValue {
  if (!isListValue(value)) return scalarToJson(value);
  return Array.from({ length: value.length }, (_, record) =>
    value.fields.map((field) => scalarToJson(field[record] ?? 0)),
  );
}

/** Throws an error that names the argument that is not of its type. */
export function valuesFromJson(all: readonly ResolvedArgument[], json: readonly unknown[]): Values {
  if (json.length !== all.length) throw new Error(`${all.length} arguments expected, got ${json.length}`);
  return all.map((argument, place) => {
    const given = json[place];
    if (argument.kind === 'scalar') return scalarFromJson(argument.name, argument.type, given);
    const records: readonly unknown[] = Array.isArray(given) ? given : [];
    if (!Array.isArray(given) || records.length > argument.max) {
      throw new Error(`${argument.name}: expected at most ${argument.max} records`);
    }
    return {
      length: records.length,
      fields: argument.fields.map(({ name, type }, field) =>
        records.map((record) =>
          scalarFromJson(`${argument.name}.${name}`, type, Array.isArray(record) ? record[field] : record),
        ),
      ),
    };
  });
}

/** An `int64` is its decimal digits, `bytes` are base64. */
export function scalarToJson(value: ScalarValue): string | number | boolean {
  if (typeof value === 'bigint') return `${value}`;
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** Throws an error that names what is not of its type. */
export function scalarFromJson(
  name: string,
  { kind }: Pick<ScalarType, 'kind'>,
  value: unknown,
): ScalarValue {
  if (kind === 'key' && Number.isInteger(value)) return Number(value);
  if (kind === 'bool' && typeof value === 'boolean') return value;
  if (kind === 'int64' && typeof value === 'string' && /^-?\d{1,19}$/.test(value)) return BigInt(value);
  if (kind === 'text' && typeof value === 'string') return value;
  if (kind === 'bytes' && typeof value === 'string') return new Uint8Array(Buffer.from(value, 'base64'));
  throw new Error(`${name}: expected ${kind}, got ${JSON.stringify(value)}`);
}
