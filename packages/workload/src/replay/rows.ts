import type { Row } from '@fair-bench/contract';
import { mayChange, type ResolvedTable, type Workload } from '../resolved.ts';
import { bytesLengthNaming, textLengthNaming } from '../draw/content.ts';
import { seededNumber } from '../seeded.ts';
import { bindOperations, type BoundOperation } from './bind.ts';

/** The number of the seeded row that has this key; −1 when no seeded row has it. */
export const seededRow = (table: ResolvedTable, key: Row): number => seededNumber(table, key) ?? -1;

/** The columns of a table that operations change. */
export interface ChangedColumns {
  /** Columns that operations set. */
  readonly sets: readonly number[];
  /** Columns that operations add to. */
  readonly adds: readonly number[];
  /** Where nothing is set or added to, the first column whose text or bytes name their writer; −1 without one. */
  readonly named: number;
}

export function changedColumns({ columns }: ResolvedTable): ChangedColumns {
  const sets = columns.flatMap(({ set }, column) => (set ? [column] : []));
  const adds = columns.flatMap(({ added }, column) => (added ? [column] : []));
  const naming = sets.length + adds.length > 0 ? -1 : columns.findIndex(namesWriter);
  return { sets, adds, named: naming };
}

function namesWriter({ type }: ResolvedTable['columns'][number]): boolean {
  if (type.kind === 'text') return type.length >= textLengthNaming;
  return type.kind === 'bytes' && type.length >= bytesLengthNaming;
}

/** Which rows and columns of a table the replay follows. */
export interface Followed extends ChangedColumns {
  readonly table: ResolvedTable;
  /** Whether an operation inserts rows of it. */
  readonly inserted: boolean;
  /** Whether operations insert rows of it where they are missing: then several may have inserted one. */
  readonly upserted: boolean;
  /** Whether an operation deletes rows of it. */
  readonly deleted: boolean;
  /** Whether operations return rows of it, so that the log contains their versions. */
  readonly read: boolean;
}

/** A workload from the view of the replay. */
export interface Follows {
  readonly operations: readonly BoundOperation[];
  readonly tables: readonly Followed[];
}

/** Determines what the replay follows; throws if the description needs something that cannot be audited. */
export function followsOf(workload: Workload): Follows {
  const operations = bindOperations(workload);
  const effects = operations.flatMap((operation) => operation.effects);
  const tables = workload.tables.map((table): Followed => {
    const inserts = effects.filter((effect) => effect.kind === 'insert' && effect.table === table);
    const inserted = inserts.length > 0;
    const upserted = inserts.some((effect) => effect.kind === 'insert' && effect.ifMissing);
    const deleted = effects.some((effect) => effect.kind === 'delete' && effect.row.table === table);
    const read = operations.some(
      ({ operation, returns }) => operation.weight > 0 && 'table' in returns && returns.table === table,
    );
    return {
      table,
      inserted,
      upserted,
      deleted,
      ...changedColumns(table),
      read: read && mayChange(workload, table),
    };
  });
  return { operations, tables };
}

/** The column whose version is logged for a read of a row: the set and added ones in turn, else the named one; −1 if there is none. */
export function versionColumn({ sets, adds, named }: ChangedColumns, turn: number): number {
  const all = sets.length + adds.length;
  if (all === 0) return named;
  const place = turn % all;
  return (place < sets.length ? sets[place] : adds[place - sets.length]) ?? -1;
}
