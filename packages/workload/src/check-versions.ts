import type { Checker } from './checker.ts';
import type { Effect, Operation, SimpleEffect, Table } from './schema.ts';

type Path = readonly (string | number)[];

/** What a column that is a version needs of its table: SPECIFICATION.md, section 1. */
export function checkVersionsOfTable(checker: Checker, { name, key, columns, rows }: Table): void {
  for (const { name: column, type, generator, version } of columns) {
    if (version === undefined) continue;
    const path = ['tables', name, 'columns', column];
    if (type.kind !== 'int64' || key.includes(column)) {
      checker.fail(path, 'a version is a column of type int64 that is not of the key');
    }
    if (generator.kind !== 'constant') checker.fail(path, 'a version is seeded with a constant');
    const writer = columns.find((each) => each.name === version);
    const isSeeded = writer?.generator.kind === 'constant' && writer.generator.value === -1;
    if (writer === undefined) {
      checker.unknown([...path, 'version'], 'column', version, columns);
    } else if (writer.type.kind !== 'int64' || key.includes(version) || !isSeeded) {
      checker.fail(
        [...path, 'version'],
        `the column of the writer is of type int64, not of the key and seeded with -1, which no operation has as its number; "${version}" is not`,
      );
    }
    if (rows.includes(0)) checker.fail(path, 'a table with versions has seeded rows');
  }
}

/** The versions that an operation writes, each with its writer; and that it returns what it found of both. */
export function checkVersionsOfOperation(checker: Checker, operation: Operation): void {
  const path = ['operations', operation.name];
  for (const { name, table: tableName } of operation.rows) {
    const table = checker.description.tables.find((each) => each.name === tableName);
    for (const { name: column, version } of table?.columns ?? []) {
      if (version !== undefined) new VersionCheck(checker, operation, path, name, [column, version]).run();
    }
  }
  for (const effect of operation.effects) {
    const one = alone(effect);
    if (one.kind === 'insert' && hasVersions(checker, one.table)) {
      checker.fail([...path, 'effects'], `"${one.table}" has a version: its rows are seeded, not inserted`);
    }
  }
}

function hasVersions(checker: Checker, name: string): boolean {
  const table = checker.description.tables.find((each) => each.name === name);
  return table?.columns.some(({ version }) => version !== undefined) === true;
}

/** One version of one row of one operation. */
class VersionCheck {
  readonly #checker: Checker;
  readonly #operation: Operation;
  readonly #path: Path;
  readonly #row: string;
  readonly #version: string;
  readonly #writer: string;

  constructor(
    checker: Checker,
    operation: Operation,
    path: Path,
    row: string,
    [version, writer]: readonly [string, string],
  ) {
    this.#checker = checker;
    this.#operation = operation;
    this.#path = path;
    this.#row = row;
    this.#version = `${row}.${version}`;
    this.#writer = `${row}.${writer}`;
  }

  run(): void {
    const effects = this.#operation.effects.map(alone);
    const raises = effects.filter((effect) => this.#changes(effect, this.#version));
    const signs = effects.filter((effect) => this.#changes(effect, this.#writer));
    const isUsed = raises.length > 0 || signs.length > 0 || this.#isReturned();
    if (!isUsed) return;
    this.#keys();
    if (raises.some((effect) => effect.kind !== 'add' || effect.amount !== 1)) {
      this.#fail('effects', `"${this.#version}" is a version: a write is add('${this.#version}', 1)`);
    }
    if (raises.length > 0 !== signs.length > 0 || !signs.every((effect) => this.#isOwnNumber(effect))) {
      this.#fail(
        'effects',
        `a write of "${this.#version}" also sets "${this.#writer}" to an argument that is operation()`,
      );
    }
    const { returns, declines } = this.#operation;
    const found = returns.kind === 'fields' ? returns.fields.flatMap(({ of }) => of ?? []) : [];
    for (const needed of [this.#version, this.#writer]) {
      if (found.filter((of) => of === needed).length === 1) continue;
      this.#fail('returns', `what it found of the version is returned once: found('${needed}')`);
    }
    const isCompared = declines.some(({ rule }) =>
      [this.#version, this.#writer].some((name) => Object.values(rule).includes(name)),
    );
    if (isCompared) this.#fail('declines', `"${this.#version}" is a version, which no rule compares`);
  }

  /** Every row is found once, by arguments, so that each write names the version that it replaces. */
  #keys(): void {
    const rows = this.#operation.rows;
    const own = rows.find(({ name }) => name === this.#row);
    if (own?.keys.some((key) => key.includes('.')) === true) {
      this.#fail('rows', `"${this.#row}" has a version: its key is not of a list`);
    }
    const others = rows.filter(({ name, table }) => table === own?.table && name !== this.#row);
    for (const other of others) {
      const differs = this.#operation.declines.some(
        ({ rule }) =>
          rule.kind === 'equal' &&
          own?.keys.length === 1 &&
          [rule.left, rule.right].includes(own.keys[0] ?? '') &&
          [rule.left, rule.right].includes(other.keys[0] ?? ''),
      );
      if (differs) continue;
      this.#fail(
        'declines',
        `"${this.#row}" and "${other.name}" could be one row, and have a version; decline the operation when their keys are equal`,
      );
    }
  }

  #changes(effect: SimpleEffect, target: string): boolean {
    if (effect.kind === 'insert' || effect.kind === 'delete') return false;
    if (effect.kind !== 'set-chosen') return effect.target === target;
    const at = this.#operation.arguments.find(({ name }) => name === effect.at);
    const options =
      at !== undefined && 'generator' in at && at.generator.kind === 'choice' ? at.generator.options : [];
    return options.some((option) => `${effect.row}.${option}` === target);
  }

  #isOwnNumber(effect: SimpleEffect): boolean {
    if (effect.kind !== 'set') return false;
    const argument = this.#operation.arguments.find(({ name }) => name === effect.to);
    return argument !== undefined && 'generator' in argument && argument.generator.kind === 'operation';
  }

  #isReturned(): boolean {
    const { returns } = this.#operation;
    if (returns.kind !== 'fields') return false;
    return returns.fields.some(({ of }) => of === this.#version || of === this.#writer);
  }

  #fail(part: string, message: string): void {
    this.#checker.fail([...this.#path, part], message);
  }
}

function alone(effect: Effect): SimpleEffect {
  return effect.kind === 'each' ? effect.effect : effect;
}
