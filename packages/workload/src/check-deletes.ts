import { type Checker, writesOf } from './checker.ts';
import type { Effect, Operation, SimpleEffect } from './schema.ts';

/** What `delete` and the first row of a table need, so that the audit sees each row deleted once. */
export function checkDeletes(checker: Checker, operation: Operation): void {
  const { rows, effects, declines } = operation;
  const path = ['operations', operation.name];
  const deleted = effects.map(alone).flatMap((effect) => (effect.kind === 'delete' ? [effect.row] : []));
  for (const name of deleted) {
    const table = rows.find((row) => row.name === name)?.table;
    if (table === undefined) continue;
    checkTable(checker, [...path, 'effects'], table);
    if (!declines.some(({ rule }) => rule.kind === 'missing' && rule.row === name)) {
      const message = `a row that is deleted was there: decline the operation where it is missing("${name}")`;
      checker.fail([...path, 'effects'], message);
    }
    if (deleted.filter((each) => each === name).length > 1)
      checker.fail([...path, 'effects'], `"${name}" is deleted once`);
  }
  for (const { name, table, keys } of rows) {
    if (keys.length === 0) checkFirst(checker, operation, { name, table, isDeleted: deleted.includes(name) });
  }
}

function checkTable(checker: Checker, path: readonly string[], table: string): void {
  const { operations, tables } = checker.description;
  const key = tables.find(({ name }) => name === table)?.key ?? [];
  const writes = operations.flatMap(writesOf);
  if (writes.some((each) => each.table === table && (each.kind === 'set' || each.kind === 'add')))
    checker.fail(path, `rows of "${table}" are deleted: no operation sets a column of it, or adds to one`);
  for (const { name, weight, returns, effects, arguments: all } of operations) {
    if (weight !== 0 && 'table' in returns && returns.table === table)
      checker.fail(path, `rows of "${table}" are deleted, and ${name} returns some, which is not audited`);
    for (const effect of effects.map(alone)) {
      if (effect.kind !== 'insert' || effect.table !== table) continue;
      const drawn = all.flatMap((argument) =>
        'fields' in argument
          ? argument.fields.map((field) => ({ ...field, name: `${argument.name}.${field.name}` }))
          : [argument],
      );
      const isNew = drawn.some(
        (argument) =>
          key.some((column) => effect.columns[column] === argument.name) &&
          ['fresh', 'operation'].includes(argument.generator.kind),
      );
      if (!isNew) {
        const message = `rows of "${table}" are deleted: a key that ${name} inserts is made by fresh() or operation(), so that it never returns`;
        checker.fail(path, message);
      }
    }
  }
}

interface First {
  readonly name: string;
  readonly table: string;
  readonly isDeleted: boolean;
}

function checkFirst(checker: Checker, operation: Operation, { name, table, isDeleted }: First): void {
  const path = ['operations', operation.name, 'rows', name];
  const { returns, declines, rows } = operation;
  const key = checker.description.tables.find((each) => each.name === table)?.key ?? [];
  const found = returns.kind === 'fields' ? returns.fields.map(({ of }) => of) : [];
  const lacking = key.filter((column) => !found.includes(`${name}.${column}`));
  if (lacking.length > 0)
    checker.fail(path, `the reply says which row it was: found("${name}.${lacking[0]}") is missing`);
  if (!isDeleted)
    checker.fail(path, `the first row is deleted by the operation that finds it: remove("${name}")`);
  if (rows.filter((row) => row.table === table).length > 1)
    checker.fail(path, `another row of "${table}" could be the same one; name one`);
  const compared = declines.flatMap(({ rule }) => ('row' in rule ? [] : [rule.left, rule.right]));
  if (compared.some((operand) => typeof operand === 'string' && operand.startsWith(`${name}.`)))
    checker.fail(path, 'no rule compares columns of the first row');
}

function alone(effect: Effect): SimpleEffect {
  return effect.kind === 'each' ? effect.effect : effect;
}
