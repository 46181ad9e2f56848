import type { Row } from '@fair-bench/contract';
import type { ResolvedTable, Workload } from '../resolved.ts';
import { seededNumber } from '../seeded.ts';
import { bindOperations, type BoundOperation } from './bind.ts';

/** The number of the seeded row that has this key; −1 when no seeded row has it. */
export const seededRow = (table: ResolvedTable, key: Row): number => seededNumber(table, key) ?? -1;

/** Which rows and columns of a table the log and the audit follow. */
export interface Followed {
  readonly table: ResolvedTable;
  /** Whether an operation inserts rows of it. */
  readonly inserted: boolean;
  /** Columns that operations set. */
  readonly sets: readonly number[];
  /** Columns that operations add to. */
  readonly adds: readonly number[];
  /** Whether operations return rows of it, so that the log contains their versions. */
  readonly read: boolean;
}

/** A workload from the view of the log and the audit. */
export interface Follows {
  readonly operations: readonly BoundOperation[];
  readonly tables: readonly Followed[];
  /** By operation: whether its sent and settled times are logged. */
  readonly timed: readonly boolean[];
}

/** Determines what must be logged; throws if the description needs something that cannot be audited. */
export function followsOf(workload: Workload): Follows {
  const operations = bindOperations(workload);
  const effects = operations.flatMap((operation) => operation.effects);
  const tables = workload.tables.map((table): Followed => {
    const sets = table.columns.flatMap(({ set }, column) => (set ? [column] : []));
    const adds = table.columns.flatMap(({ added }, column) => (added ? [column] : []));
    const inserted = effects.some((effect) => effect.kind === 'insert' && effect.table === table);
    const read = operations.some(
      ({ operation, returns }) => operation.weight > 0 && 'table' in returns && returns.table === table,
    );
    return { table, inserted, sets, adds, read: read && table.written };
  });
  const rulesOf = ({ rules }: BoundOperation): ResolvedTable[] =>
    rules.flatMap(({ rule }) => {
      const operands = 'row' in rule ? [] : [rule.left, rule.right];
      const rows = operands.flatMap((operand) => (operand.kind === 'column' ? [operand.row] : []));
      return ('row' in rule ? [rule.row] : rows).map(({ table }) => table);
    });
  const ruled = new Set(operations.flatMap(rulesOf));
  const isInserted = (table: ResolvedTable): boolean => tables[table.number]?.inserted === true;
  const timed = operations.map((operation) => {
    const { effects: own, returns } = operation;
    if (('table' in returns && returns.table.written) || rulesOf(operation).some(isInserted)) return true;
    return own.some((effect) => {
      if (effect.kind !== 'insert') return effect.kind === 'set';
      const { read = false, sets = [] } = tables[effect.table.number] ?? {};
      return read || sets.length > 0 || ruled.has(effect.table);
    });
  });
  return { operations, tables, timed };
}

/** The column whose version is logged for a read of a row: the set and added ones in turn; −1 if there is none. */
export function versionColumn({ sets, adds }: Followed, turn: number): number {
  const all = sets.length + adds.length;
  if (all === 0) return -1;
  const place = turn % all;
  return (place < sets.length ? sets[place] : adds[place - sets.length]) ?? -1;
}
