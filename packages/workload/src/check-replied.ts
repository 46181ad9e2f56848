import type { Checker } from './checker.ts';
import { isList, type Effect, type Generator, type Operation, type SimpleEffect } from './schema.ts';

type Path = readonly string[];
type Replied = Extract<Generator, { kind: 'replied' }>;

/** Arguments that earlier replies have, and reads by what the server gave: an id, or a time. */
export function checkReplied(checker: Checker, operation: Operation): void {
  const path = ['operations', operation.name];
  for (const argument of operation.arguments) {
    const at = [...path, 'arguments', argument.name];
    if (isList(argument)) {
      for (const { name, generator } of argument.fields) {
        if (repliedIn(generator).length > 0)
          checker.fail(
            [...at, name],
            'a field of a list is drawn; only an argument by itself takes replied()',
          );
      }
      continue;
    }
    for (const replied of repliedIn(argument.generator)) checkArgument(checker, operation, at, replied);
  }
  const { returns } = operation;
  if (returns.kind === 'row' && returns.by !== undefined) {
    if (returns.keys.length !== 1)
      checker.fail([...path, 'returns'], `"${returns.by}" is one column; got ${returns.keys.length} values`);
    checkColumn(checker, operation, { ...returns, column: returns.by, at: returns.keys[0] ?? '', use: 'id' });
  }
  if (returns.kind === 'scan' && returns.until !== undefined)
    checkColumn(checker, operation, { table: returns.table, ...returns.until, use: 'time' });
}

function checkArgument(checker: Checker, operation: Operation, path: Path, { field }: Replied): void {
  const { effects, declines, returns } = operation;
  if (effects.length > 0 || declines.length > 0 || (returns.kind !== 'row' && returns.kind !== 'scan')) {
    const reads = 'an operation that takes replied() only reads: it returns a row or a scan';
    checker.fail(path, `${reads}, and has no effects and no declines`);
  }
  const fields = checker.description.operations.flatMap((each) =>
    each.returns.kind === 'fields' ? each.returns.fields.filter(({ type }) => type.kind === 'int64') : [],
  );
  if (!fields.some(({ name }) => name === field))
    checker.unknown(path, 'returned int64 field', field, fields);
}

interface Named {
  readonly table: string;
  readonly column: string;
  /** The argument that has it. */
  readonly at: string;
  readonly use: 'id' | 'time';
}

/** Only what replies said of each row says which rows may be returned. */
function checkColumn(checker: Checker, operation: Operation, { table: name, column, at, use }: Named): void {
  const path = ['operations', operation.name, 'returns'];
  const table = checker.description.tables.find((each) => each.name === name);
  const found = table?.columns.find((each) => each.name === column);
  if (table === undefined) return;
  if (found === undefined || table.key.includes(column)) {
    const others = table.columns.filter((each) => !table.key.includes(each.name));
    return checker.unknown(path, `column beside the key of ${name}`, column, others);
  }
  if (found.type.kind !== 'int64')
    checker.fail(path, `"${column}" is of type ${found.type.kind}; the server gives an int64`);
  if (use === 'id' && !table.indexes.some((index) => index.length === 1 && index[0] === column))
    checker.fail(path, `rows are found by "${column}": add it to the indexes of "${name}"`);
  for (const effect of checker.description.operations.flatMap(({ effects }) => effects.map(alone))) {
    const value = effect.kind === 'insert' && effect.table === name ? effect.columns[column] : undefined;
    if (value !== undefined && (typeof value !== 'object' || !('returned' in value)))
      checker.fail(
        path,
        `each insert into "${name}" has returned(…) for "${column}", which the server gives`,
      );
  }
  const argument = operation.arguments.find((each) => each.name === at);
  const [replied] = argument === undefined || isList(argument) ? [] : repliedIn(argument.generator);
  if (replied === undefined) {
    const message = `"${column}" is compared with an argument of replied(), got "${at}"`;
    return checker.fail(path, message);
  }
  const seeded = found.generator.kind === 'constant' ? Number(found.generator.value) : Number.NaN;
  if (use === 'time' && seeded !== replied.initial)
    checker.fail(
      path,
      `"${column}" is seeded with the constant ${replied.initial}, the initial value of "${at}"`,
    );
  if (use === 'id' && !(Number.isFinite(seeded) && seeded !== replied.initial))
    checker.fail(path, `"${column}" is seeded with a constant that is not the initial value of "${at}"`);
  return undefined;
}

function repliedIn(generator: Generator): Replied[] {
  if (generator.kind === 'by-parameter') return Object.values(generator.cases).flatMap(repliedIn);
  return generator.kind === 'replied' ? [generator] : [];
}

function alone(effect: Effect): SimpleEffect {
  return effect.kind === 'each' ? effect.effect : effect;
}
