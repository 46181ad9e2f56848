import type { Row, ScalarValue, Values } from '@fair-bench/contract';
import { argumentNamer } from '../code/named.ts';
import { keyOf } from '../code/seeded-store.ts';
import { programIn } from '../code/seeds.ts';
import type { ModelRow } from '../store.ts';
import {
  bigOf,
  bindOperations,
  type BoundEffect,
  type BoundOperation,
  evaluate,
  recordsOf,
} from '../replay/bind.ts';
import { KeptFields } from '../replay/kept-replies.ts';
import { seededRow } from '../replay/rows.ts';
import { type ResolvedOperation, tableNumbered, type Workload } from '../resolved.ts';
import { createSeededRows } from '../seeded.ts';

/** The key of a row of a table, by the table's number. */
export interface RowKey {
  readonly table: number;
  readonly key: Row;
}

/** A row that shows whether an operation was done, with its values then; an unknown column is null. */
interface Witness extends RowKey {
  readonly row: ModelRow;
}

export function nameOfRow({ table, key }: RowKey): string {
  return `${table} ${key.join(' ')}`;
}

/** Finds the rows that an operation writes, and what they must be after it if nobody else has written them. */
export class Witnesses {
  readonly #operations: readonly BoundOperation[];
  readonly #seeded: readonly ((number: number) => Row)[];
  /** Tables of which it is not known beforehand which rows an operation writes or leaves. */
  readonly #unknown: ReadonlySet<number>;
  /** By operation, whether its arguments are known from the seed. */
  readonly #isDrawn: readonly boolean[];
  readonly #workload: Workload;
  /** By operation in code, the row that it alone inserts. */
  readonly #inCode: readonly (((values: Values) => Witness) | null)[];

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#operations = bindOperations(workload);
    this.#seeded = workload.tables.map((table) => createSeededRows(workload, table));
    this.#unknown = new Set(
      this.#operations.flatMap(({ effects, operation }) =>
        operation.weight === 0 ? [] : effects.flatMap((effect) => (isUnknown(effect) ? tableOf(effect) : [])),
      ),
    );
    this.#inCode = workload.operations.map((operation) => witnessInCode(workload, operation));
    this.#isDrawn = new KeptFields(workload).operations.map(({ takes }) => takes.length === 0);
  }

  /** Whether any operation of the workload can have a witness. */
  get possible(): boolean {
    const inCode = this.#inCode.some((witness) => witness !== null);
    if (inCode) return true;
    return this.#operations.some(
      ({ operation, effects }) =>
        operation.weight > 0 &&
        this.#isDrawn[operation.number] === true &&
        effects.some((effect) => !this.#unknown.has(tableOf(effect)) && keysOf(effect) !== null),
    );
  }

  /** Calls with the table and key of each row that an operation writes; the key is valid until the next call. */
  eachRow(operation: number, values: Values, visit: (table: number, key: Row) => void): void {
    const witness = this.#inCode[operation]?.(values);
    if (witness !== undefined) visit(witness.table, witness.key);
    for (const effect of this.#operations[operation]?.effects ?? []) {
      const keys = keysOf(effect);
      if (keys === null) continue;
      const records = recordsOf(values, effect.list);
      for (let record = 0; record < records; record += 1)
        visit(tableOf(effect), evaluate(keys, values, record));
    }
  }

  /** The rows of an applied operation with their values after it. */
  of(operation: number, values: Values): readonly Witness[] {
    const rows = new Map<string, { table: number; key: Row; row: (ScalarValue | null)[] }>();
    if (this.#isDrawn[operation] !== true) return [];
    const witness = this.#inCode[operation]?.(values);
    if (witness !== undefined) return [witness];
    for (const effect of this.#operations[operation]?.effects ?? []) {
      const [table, keys] = [tableOf(effect), keysOf(effect)];
      if (keys === null || this.#unknown.has(table)) continue;
      for (let record = 0; record < recordsOf(values, effect.list); record += 1) {
        const key = evaluate(keys, values, record);
        const name = nameOfRow({ table, key });
        const before = rows.get(name)?.row ?? this.#seededRow(table, key);
        const row =
          before === null && effect.kind !== 'insert' ? null : after(effect, values, record, before);
        if (row !== null) rows.set(name, { table, key, row });
      }
    }
    return [...rows.values()];
  }

  #seededRow(table: number, key: Row): (ScalarValue | null)[] | null {
    const number = seededRow(tableNumbered(this.#workload, table), key);
    return number === -1 ? null : [...(this.#seeded[table]?.(number) ?? [])];
  }
}

function witnessInCode(
  workload: Workload,
  operation: ResolvedOperation,
): ((values: Values) => Witness) | null {
  const witness = programIn(workload)?.operations[operation.name]?.witness;
  if (witness === undefined || operation.weight === 0) return null;
  const argumentsOf = argumentNamer(operation.name, operation.arguments);
  return (values) => {
    const { table: name, row: columns } = witness(argumentsOf(values));
    const table = workload.tables.find((each) => each.name === name);
    if (table === undefined)
      throw new Error(`the witness of ${operation.name} is in "${name}", which is no table`);
    const row = table.columns.map((column) => columns[column.name] ?? null);
    return { table: table.number, key: keyOf(table, row), row };
  };
}

function tableOf(effect: BoundEffect): number {
  return effect.kind === 'insert' ? effect.table.number : effect.row.table.number;
}

/** Null where the server decides the key. */
function keysOf(effect: BoundEffect): Extract<BoundEffect, { kind: 'set' }>['row']['keys'] | null {
  if (effect.kind !== 'insert') return effect.row.first === null ? effect.row.keys : null;
  const columns = effect.columns.slice(0, effect.table.keyColumns);
  const known = columns.flatMap((column) => (column.kind === 'value' ? [column.get] : []));
  return known.length === columns.length ? known : null;
}

/** Rows that are deleted, or inserted where they are missing, say nothing of one operation. */
function isUnknown(effect: BoundEffect): boolean {
  if (effect.kind === 'insert') return effect.ifMissing;
  return effect.kind === 'delete' || effect.row.first !== null;
}

function after(
  effect: BoundEffect,
  values: Values,
  record: number,
  before: (ScalarValue | null)[] | null,
): (ScalarValue | null)[] | null {
  if (effect.kind === 'insert')
    return effect.columns.map((column) => (column.kind === 'value' ? column.get(values, record) : null));
  if (before === null || effect.kind === 'delete') return null;
  const row = [...before];
  const column = effect.kind === 'set' ? effect.column(values) : effect.column;
  if (effect.kind === 'set') row[column] = effect.to(values, record);
  else row[column] = sumOf(effect, row[column] ?? null, bigOf(effect.amount(values, record)));
  return row;
}

/** Null for a version: the server may count it as it likes. */
function sumOf(
  { row, column, negative }: Extract<BoundEffect, { kind: 'add' }>,
  before: ScalarValue | null,
  amount: bigint,
): ScalarValue | null {
  if (before === null || row.table.columns[column]?.writer !== undefined) return null;
  return BigInt.asIntN(64, bigOf(before) + (negative ? -amount : amount));
}
