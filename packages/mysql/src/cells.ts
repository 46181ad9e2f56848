import type { Cell, CellRow } from '@fair-bench/sql';

/**
 * The rows of a driver's result, as arrays. A call's result is the rows of its procedure, if any, and then how many it changed;
 * another statement has one of them. Throws a TypeError for a cell of another type.
 */
export function resultRows(result: unknown): readonly CellRow[] {
  if (!Array.isArray(result)) return [];
  const all: readonly unknown[] = result;
  const isCall = all.length > 0 && !Array.isArray(all.at(-1));
  const rows = isCall ? all[0] : all;
  return Array.isArray(rows) ? rows.map(cellsOf) : [];
}

function cellsOf(row: unknown): CellRow {
  return Array.isArray(row) ? row.map(cellOf) : [];
}

function cellOf(value: unknown): Cell {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  throw new TypeError(`a cell of the type ${typeof value} was not expected`);
}
