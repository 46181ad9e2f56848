import { cellRows, type CellRow, type Parameter } from '@fair-bench/sql';

/**
 * The rows of a driver's result, as arrays. A call's result is the rows of its procedure, if any, and then how many it changed;
 * another statement has one of them. Throws a TypeError for a cell of another type.
 */
export function resultRows(result: unknown): readonly CellRow[] {
  if (!Array.isArray(result)) return [];
  const all: readonly unknown[] = result;
  const isCall = all.length > 0 && !Array.isArray(all.at(-1));
  return cellRows(isCall ? all[0] : all);
}

/** A parameter as the family's drivers take it. Throws a TypeError for a list. */
export function driverValue(value: Parameter): Exclude<Parameter, readonly unknown[]> {
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    throw new TypeError('a list is passed as JSON, not as an array');
  }
  return value;
}
