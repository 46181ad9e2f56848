import { bindOperations } from './replay/bind.ts';
import type { BoundEffect } from './replay/bind.ts';
import type { ResolvedTable, Workload } from './resolved.ts';

/** What an applied operation does to the data, in bytes of values at the width of their types; null where its arguments decide it. */
interface OperationBytes {
  /** The values that it writes, with the keys of their rows. */
  readonly written: number;
  /** By how much its rows make the data larger. */
  readonly grown: number;
}

/** Bytes of user data: of the seeded rows, and of each operation by its number. */
export function dataBytesOf(workload: Workload): {
  readonly seeded: number;
  readonly operations: readonly (OperationBytes | null)[];
} {
  return {
    seeded: workload.tables.reduce((sum, table) => sum + table.rows * rowBytes(table), 0),
    operations: bindOperations(workload).map(({ operation, effects }) =>
      // What an operation in code writes depends on what it finds.
      operation.description.code === undefined ? sumOf(effects.map(effectBytes)) : null,
    ),
  };
}

function sumOf(all: readonly (OperationBytes | null)[]): OperationBytes | null {
  let [written, grown] = [0, 0];
  for (const one of all) {
    if (one === null) return null;
    written += one.written;
    grown += one.grown;
  }
  return { written, grown };
}

function effectBytes(effect: BoundEffect): OperationBytes | null {
  // A list has as many rows as its argument, and an upsert may find its row.
  if (effect.list !== null || (effect.kind === 'insert' && effect.ifMissing)) return null;
  if (effect.kind === 'insert') {
    const bytes = rowBytes(effect.table);
    return { written: bytes, grown: bytes };
  }
  const { table } = effect.row;
  const keyBytes = bytesOfColumns(table, Array.from({ length: table.keyColumns }).keys().toArray());
  if (effect.kind === 'delete') return { written: keyBytes, grown: -rowBytes(table) };
  const columns = effect.kind === 'add' ? [effect.column] : (effect.chosen?.columns ?? [effect.column([])]);
  // Where an argument chooses the column, each of them is of the same width, or its bytes are not known.
  const widths = new Set(columns.map((column) => bytesOfColumns(table, [column])));
  const [width] = widths;
  return width === undefined || widths.size > 1 ? null : { written: keyBytes + width, grown: 0 };
}

function rowBytes(table: ResolvedTable): number {
  return bytesOfColumns(table, [...table.columns.keys()]);
}

function bytesOfColumns({ columns }: ResolvedTable, places: readonly number[]): number {
  return places.reduce((sum, place) => {
    const type = columns[place]?.type;
    if (type === undefined) return sum;
    return sum + ('length' in type ? type.length : { key: 4, int64: 8, bool: 1 }[type.kind]);
  }, 0);
}
