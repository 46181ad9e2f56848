import { checkOperation } from './check-operation.ts';
import { checkCode, checkEither } from './check-code.ts';
import { checkDeletes } from './check-deletes.ts';
import { checkReplied } from './check-replied.ts';
import { checkUpserts } from './check-upserts.ts';
import { checkVersionsOfOperation, checkVersionsOfTable } from './check-versions.ts';
import { Checker, type Mistake } from './checker.ts';
import type { Parameter, Table, WorkloadDescription } from './schema.ts';

/** Wrong references in a description, with the accepted ones. Empty if it is valid. */
export function checkReferences(description: WorkloadDescription): Mistake[] {
  const checker = new Checker(description);
  checker.unique(['parameters'], description.parameters);
  checker.unique(['tables'], description.tables);
  checker.unique(['tables'], description.tables.map(inSql));
  checker.unique(['operations'], description.operations);
  for (const parameter of description.parameters) checkParameter(checker, parameter);
  for (const table of description.tables) {
    checkTable(checker, table);
    checkVersionsOfTable(checker, table);
  }
  for (const operation of description.operations) {
    checkOperation(checker, operation);
    checkVersionsOfOperation(checker, operation);
    checkDeletes(checker, operation);
    checkUpserts(checker, operation);
    checkReplied(checker, operation);
  }
  checkCode(checker, description);
  checkEither(checker, description);
  for (const axis of description.axes) checker.parameter(['axes', axis.parameter], axis.parameter);
  return checker.mistakes;
}

function checkParameter(checker: Checker, parameter: Parameter): void {
  const path = ['parameters', parameter.name];
  if (parameter.name === 'seed')
    checker.fail(path, 'every workload has the parameter "seed"; choose another name');
  if (parameter.type === 'choice' && !parameter.options.includes(parameter.default)) {
    checker.fail([...path, 'default'], `one of ${parameter.options.join(', ')}`);
  }
  if (parameter.type === 'boolean' || parameter.type === 'choice') return;
  const [low, high, value] =
    parameter.type === 'int64'
      ? [BigInt(parameter.min), BigInt(parameter.max), BigInt(parameter.default)]
      : [parameter.min, parameter.max, parameter.default];
  if (low > high || value < low || value > high) {
    checker.fail([...path, 'default'], `min ≤ default ≤ max, got ${low} ≤ ${value} ≤ ${high}`);
  }
}

function checkTable(checker: Checker, table: Table): void {
  const path = ['tables', table.name];
  checker.unique(path, table.columns);
  checker.unique(path, table.columns.map(inSql));
  const names = table.columns.map(({ name }) => name);
  if (table.key.some((name, place) => names[place] !== name)) {
    checker.fail([...path, 'key'], 'the key’s columns are the first of the table’s columns, in their order');
  }
  const empty = table.rows.length === 1 && table.rows[0] === 0;
  if (!empty && table.rows.length !== table.key.length) {
    checker.fail([...path, 'rows'], `one number for each of ${table.key.length} key columns, or 0`);
  }
  for (const bound of table.rows) checker.bound([...path, 'rows'], bound);
  for (const [place, { name, type, generator }] of table.columns.entries()) {
    const columnPath = [...path, 'columns', name];
    if (checker.changes('set', table.name, name) && checker.changes('add', table.name, name)) {
      checker.fail(columnPath, 'is set and added to, which cannot be audited; use two columns');
    }
    if (place < table.key.length) {
      if (type.kind !== 'key' && type.kind !== 'int64') {
        checker.fail(columnPath, `a key column is of type key or int64, got ${type.kind}`);
      }
      continue;
    }
    checker.type(columnPath, type);
    const seeds = ['constant', 'uniform', 'content', 'code'];
    if (!seeds.includes(generator.kind)) checker.fail(columnPath, `seeded by one of ${seeds.join(', ')}`);
    else checker.generator(columnPath, generator, type);
  }
  for (const index of table.indexes) {
    for (const name of index) {
      if (!names.includes(name)) checker.unknown([...path, 'indexes'], 'column', name, names);
    }
  }
}

/** Under its name in the tables of a system with SQL. */
function inSql({ name, storedAs = name }: { readonly name: string; readonly storedAs?: string }): {
  readonly name: string;
} {
  return { name: storedAs };
}
