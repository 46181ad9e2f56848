import {
  type ColumnShape,
  keyOfUuid,
  nullValue,
  type ScalarValue,
  type Stored,
  uuidBytes,
  uuidOf,
} from '@fair-bench/contract';
import type { Cell, Dialect } from './dialect.ts';

const microsPerSecond = 1_000_000n;

type Units = Exclude<Stored, { readonly kind: 'uuid' }>;

/**
 * A value of a column as a system with SQL takes it: a decimal, a time and a UUID are texts where it stores them, or a UUID's bytes; null is
 * null.
 */
export function storedCell(
  { stored, nullable }: Pick<ColumnShape, 'stored' | 'nullable'>,
  value: ScalarValue,
  { storedType, uuidType }: Pick<Dialect, 'storedType' | 'uuidType'>,
): Cell {
  if (nullable === true && value === nullValue) return null;
  if (stored === undefined) return value;
  if (stored.kind === 'uuid') {
    if (typeof value !== 'number') return value;
    return uuidType === undefined ? uuidOf(stored.version, value) : uuidBytes(stored.version, value);
  }
  return storedType === null || typeof value !== 'bigint' ? value : storedText(stored, value);
}

/** "-12.34", "2026-11-27 08:00:00.000001" */
function storedText(stored: Units, value: bigint): string {
  return stored.kind === 'decimal' ? decimalText(value, stored.scale) : timestampText(value);
}

/** Reads a decimal or a time from text, and a UUID from text or bytes. Null for any other cell, and for a UUID that no key has. */
export function storedValue(stored: Stored, cell: string | Uint8Array): number | bigint | null {
  if (stored.kind === 'uuid') return keyOfUuid(stored.version, cell);
  if (typeof cell !== 'string') return null;
  return stored.kind === 'decimal' ? decimalOf(cell, stored.scale) : timestampOf(cell);
}

function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const sign = value < 0n ? '-' : '';
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(digits.length - scale)}`;
}

function decimalOf(text: string, scale: number): bigint | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (parts === null) return null;
  const [, sign, whole = '', fraction = ''] = parts;
  // More digits after the point than the column has are another value.
  if (/[1-9]/.test(fraction.slice(scale))) return null;
  const units = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return sign === '-' ? -units : units;
}

function timestampText(micros: bigint): string {
  const rest = ((micros % microsPerSecond) + microsPerSecond) % microsPerSecond;
  const date = new Date(Number((micros - rest) / 1000n)).toISOString();
  return `${date.slice(0, 10)} ${date.slice(11, 19)}.${String(rest).padStart(6, '0')}`;
}

function timestampOf(text: string): bigint | null {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?$/.exec(text);
  if (parts === null) return null;
  const [, date, time, fraction = ''] = parts;
  const millis = Date.parse(`${date}T${time}Z`);
  return BigInt(millis) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
