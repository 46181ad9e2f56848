import type { Checker } from './checker.ts';
import { type DescribedType, isList, type Operand, type Operation, type Table } from './schema.ts';

type Path = readonly (string | number)[];

/** What an operand is: its type, or its list’s record’s. */
export interface Known {
  readonly type: DescribedType | { readonly kind: 'constant' };
  readonly list: string | null;
  readonly isColumn?: boolean;
}

/** Resolves an operation’s references; unknown ones are mistakes. */
export class Names {
  readonly #checker: Checker;
  readonly #operation: Operation;

  constructor(checker: Checker, operation: Operation) {
    this.#checker = checker;
    this.#operation = operation;
  }

  /** An operand that is no column of a row: keys, amounts and values are arguments or constants. */
  argument(path: Path, operand: Operand): Known | null {
    const known = this.operand(path, operand);
    if (known?.isColumn === true)
      this.#checker.fail(path, `"${operand}" is a column of a row; use an argument`);
    return known;
  }

  within(path: Path, operand: Operand, each: string | null): Known | null {
    const known = this.argument(path, operand);
    if (known !== null && known.list !== null && known.list !== each) {
      this.#checker.fail(
        path,
        `"${operand}" is one per record of "${known.list}"; use each('${known.list}', …)`,
      );
    }
    return known;
  }

  operand(path: Path, operand: Operand): Known | null {
    if (typeof operand !== 'string') {
      return { type: typeof operand === 'boolean' ? { kind: 'bool' } : { kind: 'constant' }, list: null };
    }
    const [name = '', member] = operand.split('.');
    const argument = this.#operation.arguments.find((each) => each.name === name);
    if (argument !== undefined && !isList(argument) && member === undefined)
      return { type: argument.type, list: null };
    if (argument !== undefined && isList(argument)) {
      const field = argument.fields.find((each) => each.name === member);
      if (field !== undefined) return { type: field.type, list: name };
      this.#checker.unknown(path, `field of ${name}`, member ?? '', argument.fields);
      return null;
    }
    const row = this.#operation.rows.find((each) => each.name === name);
    const table = this.#checker.description.tables.find((each) => each.name === row?.table);
    const column = table?.columns.find((each) => each.name === member);
    if (row !== undefined && column !== undefined) {
      const list = row.keys
        .map((key) => this.list(key.split('.')[0] ?? ''))
        .find((each) => each !== undefined);
      return { type: column.type, list: list ?? null, isColumn: true };
    }
    const known = [...this.#operation.arguments, ...this.#operation.rows];
    if (row === undefined || member === undefined)
      this.#checker.unknown(path, 'argument or row', name, known);
    else this.#checker.unknown(path, `column of ${name}`, member, table?.columns ?? []);
    return null;
  }

  sameType(path: Path, known: Known | null, type: DescribedType): void {
    if (known === null) return;
    const isWhole = known.type.kind === 'constant' && (type.kind === 'key' || type.kind === 'int64');
    const isOther = 'length' in known.type && 'length' in type && known.type.length !== type.length;
    if (isWhole || (known.type.kind === type.kind && !isOther)) return;
    const words = (each: Known['type']): string =>
      'length' in each ? `${each.kind}(${each.length})` : each.kind;
    this.#checker.fail(path, `a value of type ${words(type)}, got ${words(known.type)}`);
  }

  row(path: Path, name: string): Table | null {
    const { rows } = this.#operation;
    const row = rows.find((each) => each.name === name);
    if (row !== undefined) return this.#checker.table(path, row.table);
    this.#checker.unknown(path, 'row', name, rows);
    return null;
  }

  keys(path: Path, name: string, references: readonly string[], extent: 'whole' | 'part'): void {
    const table = this.#checker.table(path, name);
    if (table === null) return;
    if (extent === 'whole' && references.length !== table.key.length) {
      this.#checker.fail(
        path,
        `a key of "${name}" is ${table.key.join(', ')}; got ${references.length} values`,
      );
    }
    for (const [place, reference] of references.entries()) {
      const known = this.argument(path, reference);
      const column = table.columns[place];
      if (column !== undefined) this.sameType(path, known, column.type);
    }
  }

  list(name: string): string | undefined {
    return this.#operation.arguments.filter(isList).find((each) => each.name === name)?.name;
  }
}
