import { type Checker, ruledTables, writesOf } from './checker.ts';
import type { Effect, InsertEffect, Operation } from './schema.ts';

type Path = readonly (string | number)[];

/** What an insert of a missing row needs, so that the audit knows the row whichever operation inserted it. */
export function checkUpserts(checker: Checker, operation: Operation): void {
  for (const [number, effect] of operation.effects.entries()) {
    const insert = effect.kind === 'each' ? effect.effect : effect;
    if (insert.kind !== 'insert' || insert.ifMissing !== true) continue;
    const path = ['operations', operation.name, 'effects', number];
    checkTable(checker, path, insert.table);
    const { columns = [], key = [] } =
      checker.description.tables.find(({ name }) => name === insert.table) ?? {};
    for (const { name } of columns.filter((column) => !key.includes(column.name)))
      checkColumn(checker, [...path, name], { operation, insert, number, key, column: name });
  }
}

function checkTable(checker: Checker, path: Path, table: string): void {
  const { operations } = checker.description;
  const writes = operations.flatMap(writesOf).filter((write) => write.table === table);
  if (writes.some(({ kind }) => kind === 'delete'))
    checker.fail(path, `rows of "${table}" are deleted: a key of one must never return`);
  if (insertsInto(checker, table).some(({ ifMissing }) => ifMissing !== true))
    checker.fail(path, `every insert into "${table}" is insertIfMissing, or none`);
  const asking = operations.find((each) => ruledTables(each).includes(table));
  if (asking !== undefined) {
    const message = `rows of "${table}" come to be by several operations: no rule of ${asking.name} looks at one`;
    checker.fail(path, message);
  }
}

interface Column {
  readonly operation: Operation;
  readonly insert: InsertEffect;
  /** The place of the insert among the effects. */
  readonly number: number;
  /** Of the table. */
  readonly key: readonly string[];
  readonly column: string;
}

/** The same whoever inserts the row, or set by the operation as well. */
function checkColumn(checker: Checker, path: Path, given: Column): void {
  const { operation, insert, number, column } = given;
  const value = insert.columns[column];
  if (value === undefined) return;
  if (checker.changes('set', insert.table, column)) {
    const isSet = operation.effects.slice(number + 1).some((effect) => sets(effect, given));
    if (!isSet)
      checker.fail(
        path,
        `"${column}" is set: the operation also sets it to the same argument, after the insert`,
      );
    return;
  }
  if (typeof value === 'string' || typeof value === 'object') {
    checker.fail(path, `"${column}" is a constant: it is the same whichever operation inserts the row`);
    return;
  }
  const others = insertsInto(checker, insert.table).map((each) => each.columns[column]);
  if (others.some((other) => other !== value))
    checker.fail(
      path,
      `"${column}" is ${String(value)} in one insert into "${insert.table}", and another value in another`,
    );
}

/** Whether an effect sets the column of the inserted row to the value with which it is inserted. */
function sets(effect: Effect, { operation, insert, key, column }: Column): boolean {
  const one = effect.kind === 'each' ? effect.effect : effect;
  if (one.kind !== 'set' || one.to !== insert.columns[column]) return false;
  const [name, target] = one.target.split('.');
  const row = operation.rows.find((each) => each.name === name);
  if (target !== column || row?.table !== insert.table) return false;
  return row.keys.every((reference, place) => insert.columns[key[place] ?? ''] === reference);
}

function insertsInto({ description }: Checker, table: string): InsertEffect[] {
  return description.operations
    .flatMap(({ effects }) => effects.map((effect) => (effect.kind === 'each' ? effect.effect : effect)))
    .filter((effect): effect is InsertEffect => effect.kind === 'insert' && effect.table === table);
}
