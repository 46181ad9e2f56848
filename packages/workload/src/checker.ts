import {
  type Bound,
  contentLengthMax,
  type DescribedType,
  type Domain,
  type Effect,
  type Generator,
  isList,
  type Operation,
  type Parameter,
  type Table,
  type WorkloadDescription,
} from './schema.ts';

/** One mistake in a description: its place, as a path of names, and what is accepted there. */
export interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

type Path = Mistake['path'];

/** Collects mistakes; looks up parameters and tables. */
export class Checker {
  readonly mistakes: Mistake[] = [];
  readonly description: WorkloadDescription;

  constructor(description: WorkloadDescription) {
    this.description = description;
  }

  fail(path: Path, message: string): void {
    this.mistakes.push({ path, message });
  }

  /** Lists the known names when `name` is unknown. */
  unknown(
    path: Path,
    kind: string,
    name: string,
    known: readonly (string | { readonly name: string })[],
  ): void {
    const names = known.map((each) => (typeof each === 'string' ? each : each.name));
    this.fail(path, `no ${kind} "${name}"; one of ${names.join(', ') || '(none)'}`);
  }

  unique(path: Path, named: readonly { readonly name: string }[]): void {
    const seen = new Set<string>();
    for (const { name } of named) {
      if (seen.has(name)) this.fail([...path, name], 'the name is taken; names differ');
      seen.add(name);
    }
  }

  /** Whether an operation sets a column, or adds to it. */
  changes(kind: 'add' | 'set', table: string, column: string): boolean {
    const writes = this.description.operations.flatMap(writesOf);
    return writes.some((each) => each.kind === kind && each.table === table && each.columns.includes(column));
  }

  parameter(path: Path, name: string): Parameter | null {
    const { parameters } = this.description;
    const parameter = parameters.find((each) => each.name === name);
    if (parameter !== undefined) return parameter;
    this.unknown(path, 'parameter', name, parameters);
    return null;
  }

  table(path: Path, name: string): Table | null {
    const { tables } = this.description;
    const table = tables.find((each) => each.name === name);
    if (table !== undefined) return table;
    this.unknown(path, 'table', name, tables);
    return null;
  }

  /** A bound is a number or the name of a parameter that is one. */
  bound(path: Path, bound: Bound): void {
    if (typeof bound !== 'string' || /^-?\d/.test(bound)) return;
    const parameter = this.parameter(path, bound);
    if (parameter !== null && parameter.type !== 'integer' && parameter.type !== 'int64') {
      this.fail(path, `parameter "${bound}" is of type ${parameter.type}; use one of type integer or int64`);
    }
  }

  /** The length of a text or of bytes is a number, or an integer parameter that stays within what lengths are. */
  type(path: Path, type: DescribedType): void {
    if (!('length' in type) || typeof type.length === 'number') return;
    const lengthPath = [...path, 'length'];
    const parameter = this.parameter(lengthPath, type.length);
    if (parameter === null) return;
    if (parameter.type !== 'integer') {
      this.fail(lengthPath, `parameter "${type.length}" is of type ${parameter.type}; use an integer`);
    } else if (parameter.min < 1 || parameter.max > contentLengthMax) {
      const message = `parameter "${type.length}" goes beyond 1 to ${contentLengthMax}; narrow its range`;
      this.fail(lengthPath, message);
    }
  }

  generator(path: Path, generator: Generator, type: DescribedType): void {
    if (generator.kind === 'by-parameter') {
      const parameter = this.parameter(path, generator.parameter);
      const options = parameter?.type === 'choice' ? parameter.options : [];
      for (const option of options) {
        const chosen = generator.cases[option];
        if (chosen === undefined)
          this.fail([...path, 'cases'], `no case for "${option}" of ${generator.parameter}`);
        else this.generator([...path, 'cases', option], chosen, type);
      }
      if (parameter !== null && parameter.type !== 'choice') {
        this.fail(
          path,
          `parameter "${generator.parameter}" is of type ${parameter.type}; use one of type choice`,
        );
      }
      return;
    }
    const accepted = generatorsByType[type.kind];
    if (!accepted.includes(generator.kind)) {
      this.fail(
        path,
        `${generator.kind} does not make a value of type ${type.kind}; one of ${accepted.join(', ')}`,
      );
    }
    if ('over' in generator) this.#domain(path, generator.over);
    if ('exponent' in generator && typeof generator.exponent === 'string') {
      const parameter = this.parameter([...path, 'exponent'], generator.exponent);
      if (parameter?.type !== 'number' && parameter?.type !== 'integer') {
        if (parameter !== null)
          this.fail([...path, 'exponent'], `parameter "${generator.exponent}" is not a number`);
      } else if (parameter.min < 0 || parameter.max > 32) {
        this.fail(
          [...path, 'exponent'],
          `parameter "${generator.exponent}" goes beyond 0 to 32; narrow its range`,
        );
      }
    }
    if (generator.kind === 'zipf' && typeof generator.scramble === 'string') {
      const parameter = this.parameter([...path, 'scramble'], generator.scramble);
      if (parameter !== null && parameter.type !== 'boolean') {
        this.fail(
          [...path, 'scramble'],
          `parameter "${generator.scramble}" is of type ${parameter.type}; use a boolean`,
        );
      }
    }
    if (generator.kind === 'fresh' || generator.kind === 'latest') this.table(path, generator.table);
    const value = generator.kind === 'constant' ? generator.value : null;
    if (typeof value === 'string' && !/^-?\d/.test(value)) this.parameter(path, value);
  }

  #domain(path: Path, domain: Domain): void {
    if (domain.kind === 'count') this.bound([...path, 'count'], domain.count);
    if (domain.kind === 'range') {
      this.bound([...path, 'min'], domain.min);
      this.bound([...path, 'max'], domain.max);
    }
    if (domain.kind !== 'rows') return;
    const table = this.table(path, domain.table);
    if (table === null) return;
    if (domain.column !== null && !table.key.includes(domain.column)) {
      this.unknown(path, 'key column', domain.column, table.key);
    }
    if (domain.column === null && table.key.length > 1) {
      this.fail(
        path,
        `table "${table.name}" has ${table.key.length} key columns; name one, as in "${table.name}.${table.key[0]}"`,
      );
    }
  }
}

const numbers = ['constant', 'uniform', 'zipf'];
const generatorsByType: Readonly<Record<DescribedType['kind'], readonly string[]>> = {
  key: [...numbers, 'ycsb-zipf', 'latest', 'fresh', 'choice', 'session', 'nurand', 'either', 'code'],
  int64: [...numbers, 'operation', 'replied', 'nurand', 'code'],
  bool: ['constant', 'uniform', 'chance', 'code'],
  text: ['content', 'syllables', 'code'],
  bytes: ['content'],
};

interface Write {
  readonly kind: 'add' | 'insert' | 'set' | 'delete';
  readonly table: string;
  readonly columns: readonly string[];
}

/** Which columns of which tables an operation changes. */
export function writesOf(operation: Operation): Write[] {
  const tableOf = (row: string): string => operation.rows.find(({ name }) => name === row)?.table ?? '';
  const writeOf = (effect: Effect): Write => {
    if (effect.kind === 'each') return writeOf(effect.effect);
    if (effect.kind === 'insert') {
      return { kind: 'insert', table: effect.table, columns: Object.keys(effect.columns) };
    }
    if (effect.kind === 'set-chosen') {
      const at = operation.arguments.find(({ name }) => name === effect.at);
      const generator = at === undefined || isList(at) ? undefined : at.generator;
      const columns = generator?.kind === 'choice' ? generator.options : [];
      return { kind: 'set', table: tableOf(effect.row), columns };
    }
    if (effect.kind === 'delete') return { kind: 'delete', table: tableOf(effect.row), columns: [] };
    const [row = '', column = ''] = effect.target.split('.');
    return { kind: effect.kind, table: tableOf(row), columns: [column] };
  };
  return operation.effects.map(writeOf);
}

/** The tables whose rows an operation's rules look at. */
export function ruledTables({ declines, rows }: Operation): string[] {
  const named = declines.flatMap(({ rule }) => ('row' in rule ? [rule.row] : [rule.left, rule.right]));
  const firsts = named.map((each) => (typeof each === 'string' ? each.split('.')[0] : undefined));
  return rows.filter(({ name }) => firsts.includes(name)).map(({ table }) => table);
}

/** The columns that an operation's rules compare, each as `table.column`. */
export function ruledColumns({ declines, rows }: Operation): string[] {
  const compared = declines.flatMap(({ rule }) => ('row' in rule ? [] : [rule.left, rule.right]));
  return compared.flatMap((operand) => {
    const [row, column] = typeof operand === 'string' ? operand.split('.') : [];
    const table = rows.find(({ name }) => name === row)?.table;
    return table === undefined || column === undefined ? [] : [`${table}.${column}`];
  });
}
