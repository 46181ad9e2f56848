import { type ColumnShape, nullValue, type ScalarValue, type Stored } from '@fair-bench/contract';
import type { Cell, Dialect } from './dialect.ts';

const microsPerSecond = 1_000_000n;

/** A value of a column as a system with SQL takes it: a decimal and a time are texts where it stores them, null is null. */
export function storedCell(
  { stored, nullable }: Pick<ColumnShape, 'stored' | 'nullable'>,
  value: ScalarValue,
  { storedType }: Pick<Dialect, 'storedType'>,
): Cell {
  if (nullable === true && value === nullValue) return null;
  return stored === undefined || storedType === null || typeof value !== 'bigint'
    ? value
    : storedText(stored, value);
}

/** "-12.34", "2026-11-27 08:00:00.000001" */
export function storedText(stored: Stored, value: bigint): string {
  return stored.kind === 'decimal' ? decimalText(value, stored.scale) : timestampText(value);
}

/** A cell that has a decimal or a time as text; null for a text that is none. */
export function storedValue(stored: Stored, cell: string): bigint | null {
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
