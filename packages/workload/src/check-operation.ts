import { Names, type Known } from './check-names.ts';
import type { Checker } from './checker.ts';
import { isList } from './schema.ts';
import type {
  Argument,
  DescribedType,
  Effect,
  InsertEffect,
  InsertedValue,
  Operation,
  SimpleEffect,
  Table,
} from './schema.ts';

type Path = readonly (string | number)[];

/** Adds an operation's wrong references to the checker's mistakes. */
export function checkOperation(checker: Checker, operation: Operation): void {
  new OperationCheck(checker, operation).run();
}

class OperationCheck {
  readonly #checker: Checker;
  readonly #operation: Operation;
  readonly #names: Names;
  readonly #path: Path;

  constructor(checker: Checker, operation: Operation) {
    this.#checker = checker;
    this.#operation = operation;
    this.#names = new Names(checker, operation);
    this.#path = ['operations', operation.name];
  }

  run(): void {
    const { weight, rows, declines, effects } = this.#operation;
    this.#checker.unique([...this.#path, 'arguments'], [...this.#operation.arguments, ...rows]);
    if (typeof weight === 'string') this.#checker.bound([...this.#path, 'weight'], weight);
    if (typeof weight === 'object') this.#checker.parameter([...this.#path, 'weight'], weight.parameter);
    for (const [place, argument] of this.#operation.arguments.entries()) this.#argument(argument, place);
    for (const row of rows) {
      const path = [...this.#path, 'rows', row.name];
      if (row.keys.length === 0) this.#checker.table(path, row.table);
      else this.#names.keys(path, row.table, row.keys, 'whole');
    }
    for (const [number, { reason, rule }] of declines.entries()) {
      const path = [...this.#path, 'declines', `${number} (${reason})`];
      if (rule.kind === 'missing' || rule.kind === 'exists') this.#names.row(path, rule.row);
      else {
        const [left, right] = [this.#names.operand(path, rule.left), this.#names.operand(path, rule.right)];
        this.#comparable(path, rule.kind, left, right);
      }
    }
    for (const [number, effect] of effects.entries())
      this.#effect([...this.#path, 'effects', number], effect);
    this.#returns();
    const isInCode = this.#operation.code !== undefined;
    if (!isInCode && effects.length === 0 && weight !== 0 && !this.#returnsRows()) {
      this.#checker.fail(
        [...this.#path, 'effects'],
        'has no effect and returns no rows and no version: nothing could be audited; say what it changes or which rows it returns',
      );
    }
  }

  #returnsRows(): boolean {
    const { returns } = this.#operation;
    if (returns.kind === 'nothing') return false;
    return (
      returns.kind !== 'fields' || returns.fields.some(({ of }) => of !== undefined && this.#isVersion(of))
    );
  }

  #isVersion(reference: string): boolean {
    const [row, column] = reference.split('.');
    const name = this.#operation.rows.find((each) => each.name === row)?.table;
    const table = this.#checker.description.tables.find((each) => each.name === name);
    return table?.columns.some((each) => each.name === column && each.version !== undefined) === true;
  }

  #argument(argument: Argument, place: number): void {
    const path = [...this.#path, 'arguments', argument.name];
    if (isList(argument)) {
      this.#checker.bound([...path, 'length'], argument.length.min);
      this.#checker.bound([...path, 'length'], argument.length.max);
      this.#checker.unique(path, argument.fields);
      for (const { name, type, generator } of argument.fields) {
        this.#checker.type([...path, name], type);
        this.#checker.generator([...path, name], generator, type);
        if ('not' in generator && generator.not !== null) {
          this.#checker.fail([...path, name, 'not'], 'a field of a list takes `distinct`, not `not`');
        }
      }
      return;
    }
    const { type, generator } = argument;
    this.#checker.type(path, type);
    this.#checker.generator(path, generator, type);
    if ('distinct' in generator && generator.distinct) {
      this.#checker.fail([...path, 'distinct'], 'only a field of a list takes `distinct`');
    }
    if (!('not' in generator) || generator.not === null) return;
    const other = this.#operation.arguments.slice(0, place).find(({ name }) => name === generator.not);
    if (other === undefined || isList(other) || !sameDraw(other.generator, generator)) {
      const accepted = 'an argument before this one with the same generator';
      this.#checker.fail([...path, 'not'], `${accepted}, got "${generator.not}"`);
    }
  }

  #effect(path: Path, effect: Effect): void {
    if (effect.kind !== 'each') {
      this.#simpleEffect(path, effect, null);
      return;
    }
    if (this.#names.list(effect.list) === undefined) {
      this.#checker.unknown(path, 'list', effect.list, this.#operation.arguments.filter(isList));
    }
    this.#simpleEffect(path, effect.effect, effect.list);
  }

  #simpleEffect(path: Path, effect: SimpleEffect, each: string | null): void {
    if (effect.kind === 'insert') {
      this.#insert(path, effect, each);
    } else if (effect.kind === 'set-chosen') {
      this.#setChosen(path, effect, each);
    } else if (effect.kind === 'delete') {
      this.#names.row(path, effect.row);
    } else if (effect.kind === 'add') {
      const target = this.#effectTarget(path, effect.target, each);
      if (target !== null && target.kind !== 'int64') {
        this.#checker.fail(
          path,
          `add needs a column of type int64; "${effect.target}" is of type ${target.kind}`,
        );
      }
      const word = typeof effect.amount === 'string' ? effect.amount.replace(/^-/, '') : effect.amount;
      this.#names.sameType(path, this.#names.within(path, word, each), { kind: 'int64' });
    } else {
      const target = this.#effectTarget(path, effect.target, each);
      this.#settable(path, effect.target, target);
      if (target !== null) this.#names.sameType(path, this.#names.within(path, effect.to, each), target);
    }
  }

  #insert(path: Path, { table: name, columns, ifMissing = false }: InsertEffect, each: string | null): void {
    const table = this.#checker.table(path, name);
    if (table === null) return;
    for (const column of table.columns) {
      const value = columns[column.name];
      if (value === undefined) {
        this.#checker.fail([...path, column.name], `missing: an insert names every column of "${name}"`);
      } else if (typeof value !== 'object') {
        this.#names.sameType([...path, column.name], this.#names.within(path, value, each), column.type);
      } else if (table.key.includes(column.name)) {
        this.#checker.fail(
          [...path, column.name],
          'a key column is an argument: an id that the server makes does not identify a row',
        );
      } else if (
        this.#checker.changes('set', name, column.name) ||
        this.#checker.changes('add', name, column.name)
      ) {
        this.#checker.fail(
          [...path, column.name],
          'a column that operations set or add to is inserted as an argument or a constant',
        );
      } else if ('returned' in value) {
        const { returns } = this.#operation;
        const fields = returns.kind === 'fields' ? returns.fields : [];
        if (!fields.some((field) => field.name === value.returned)) {
          this.#checker.unknown([...path, column.name], 'returned field', value.returned, fields);
        }
      }
    }
    for (const named of Object.keys(columns)) {
      if (!table.columns.some((column) => column.name === named))
        this.#checker.unknown(path, 'column', named, table.columns);
    }
    if (!ifMissing) this.#identity(path, table, columns);
  }

  /** Two inserts never have the same key: a part of it is new for each operation, or a rule declines an existing one. */
  #identity(path: Path, table: Table, columns: Readonly<Record<string, InsertedValue>>): void {
    const isNew = (reference: InsertedValue | undefined): boolean => {
      const [name, member] = typeof reference === 'string' ? reference.split('.') : [];
      const argument = this.#operation.arguments.find((each) => each.name === name);
      const field =
        argument === undefined || !isList(argument)
          ? argument
          : argument.fields.find((each) => each.name === member);
      const generator = field !== undefined && 'generator' in field ? field.generator.kind : null;
      return generator === 'fresh' || generator === 'operation';
    };
    const { declines, rows } = this.#operation;
    const isDeclined = declines.some(
      ({ rule }) =>
        rule.kind === 'exists' && rows.some((row) => row.name === rule.row && row.table === table.name),
    );
    if (!isDeclined && !table.key.some((column) => isNew(columns[column]))) {
      this.#checker.fail(
        path,
        `a column of the key of "${table.name}" is made by fresh() or operation(), or a rule declines an existing row; otherwise a doubled insert is invisible`,
      );
    }
  }

  #setChosen(path: Path, effect: Extract<SimpleEffect, { kind: 'set-chosen' }>, each: string | null): void {
    const at = this.#operation.arguments.find(({ name }) => name === effect.at);
    const options =
      at !== undefined && !isList(at) && at.generator.kind === 'choice' ? at.generator.options : null;
    if (options === null) {
      this.#checker.fail([...path, 'at'], `an argument that is a choice of column names, got "${effect.at}"`);
      return;
    }
    for (const column of options) {
      const target = this.#effectTarget(path, `${effect.row}.${column}`, each);
      this.#settable(path, `${effect.row}.${column}`, target);
      if (target !== null) this.#names.sameType(path, this.#names.within(path, effect.to, each), target);
    }
  }

  /** Only values that name their writer can be audited. */
  #settable(path: Path, target: string, type: DescribedType | null): void {
    if (type?.kind !== 'text' && type?.kind !== 'bytes') return;
    const { length } = type;
    const parameter = this.#checker.description.parameters.find(({ name }) => name === length);
    const least = parameter?.type === 'integer' ? parameter.min : length;
    if (typeof least !== 'number') return;
    if (type.kind === 'text' && least < 24) {
      this.#checker.fail(
        path,
        `a text that is set has at least 24 characters, which name its writer; "${target}" has ${least}`,
      );
    }
    if (type.kind === 'bytes' && least < 12) {
      this.#checker.fail(
        path,
        `bytes that are set are at least 12, which name their writer; "${target}" has ${least}`,
      );
    }
  }

  #effectTarget(path: Path, target: string, each: string | null): DescribedType | null {
    const [row = '', column = ''] = target.split('.');
    const table = this.#names.row(path, row);
    if (table === null) return null;
    const found = table.columns.find(({ name }) => name === column);
    if (found === undefined) {
      this.#checker.unknown(path, `column of ${row}`, column, table.columns);
      return null;
    }
    if (table.key.includes(column))
      this.#checker.fail(path, `"${target}" is a column of the key, which does not change`);
    const known = this.#names.operand(path, target);
    if (known !== null && known.list !== null && known.list !== each) {
      this.#checker.fail(
        path,
        `row "${row}" is one per record of "${known.list}"; use each('${known.list}', …)`,
      );
    }
    return found.type;
  }

  #comparable(path: Path, kind: 'equal' | 'less', left: Known | null, right: Known | null): void {
    if (left === null || right === null) return;
    if (kind === 'less' && familyOf(left.type.kind) !== 'number') {
      this.#checker.fail(path, `less compares numbers, got a ${left.type.kind}`);
    }
    if (left.list !== null && right.list !== null && left.list !== right.list) {
      this.#checker.fail(path, `"${left.list}" and "${right.list}" are two lists; compare within one`);
    }
    if (familyOf(left.type.kind) !== familyOf(right.type.kind)) {
      this.#checker.fail(path, `a ${left.type.kind} does not compare with a ${right.type.kind}`);
    }
  }

  /** A field that was found is a column of a row that is there once. */
  #found(path: Path, of: string, type: DescribedType): void {
    const known = this.#names.operand(path, of);
    if (known === null) return;
    if (known.isColumn !== true)
      this.#checker.fail(path, `found("${of}") is a column of a row: "row.column"`);
    if (known.list !== null) this.#checker.fail(path, `row of "${of}" is one per record of "${known.list}"`);
    this.#names.sameType(path, known, type);
  }

  #returns(): void {
    const { returns } = this.#operation;
    const path = [...this.#path, 'returns'];
    if (returns.kind === 'row' && returns.by === undefined)
      this.#names.keys(path, returns.table, returns.keys, 'whole');
    if (returns.kind === 'row' && returns.by !== undefined) this.#checker.table(path, returns.table);
    if (returns.kind === 'chosen-rows') this.#checker.table(path, returns.table);
    if (returns.kind === 'records')
      for (const { name, type } of returns.fields) this.#checker.type([...path, name], type);
    if (returns.kind === 'fields') {
      for (const { name, type, of } of returns.fields) {
        this.#checker.type([...path, name], type);
        if (of !== undefined) this.#found([...path, name], of, type);
      }
    }
    if (returns.kind !== 'scan') return;
    this.#names.keys(path, returns.table, returns.from, 'part');
    this.#names.keys(path, returns.table, returns.prefix, 'part');
    if (typeof returns.limit === 'string')
      this.#names.sameType(path, this.#names.argument(path, returns.limit), { kind: 'key' });
  }
}

function familyOf(kind: string): string {
  return ['key', 'int64', 'constant'].includes(kind) ? 'number' : kind;
}

function sameDraw(a: object, b: object): boolean {
  return JSON.stringify({ ...a, not: null }) === JSON.stringify({ ...b, not: null });
}
