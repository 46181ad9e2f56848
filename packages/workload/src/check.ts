import { checkOperation } from './check-operation.ts';
import type { Mistake } from './parse.ts';
import type {
  Bound,
  Domain,
  Generator,
  Parameter,
  ScalarType,
  Table,
  WorkloadDescription,
} from './schema.ts';

/**
 * What in a description refers to something that is not there or of another type, with what there is instead. Empty: all
 * is well.
 */
export function checkReferences(description: WorkloadDescription): Mistake[] {
  const checker = new Checker(description);
  checker.unique(['parameters'], description.parameters);
  checker.unique(['tables'], description.tables);
  checker.unique(['operations'], description.operations);
  for (const parameter of description.parameters) checkParameter(checker, parameter);
  for (const table of description.tables) checkTable(checker, table);
  for (const operation of description.operations) checkOperation(checker, operation);
  for (const axis of description.axes) checker.parameter(['axes', axis.parameter], axis.parameter);
  return checker.mistakes;
}

type Path = readonly (string | number)[];

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

  /** Says what is known when `name` is not. */
  unknown(path: Path, kind: string, name: string, known: readonly string[]): void {
    this.fail(path, `no ${kind} "${name}"; one of ${known.join(', ') || '(there are none)'}`);
  }

  unique(path: Path, named: readonly { readonly name: string }[]): void {
    const seen = new Set<string>();
    for (const { name } of named) {
      if (seen.has(name)) this.fail([...path, name], 'the name is taken; names differ');
      seen.add(name);
    }
  }

  parameter(path: Path, name: string): Parameter | null {
    const { parameters } = this.description;
    const parameter = parameters.find((each) => each.name === name);
    if (parameter !== undefined) return parameter;
    this.unknown(
      path,
      'parameter',
      name,
      parameters.map((each) => each.name),
    );
    return null;
  }

  table(path: Path, name: string): Table | null {
    const { tables } = this.description;
    const table = tables.find((each) => each.name === name);
    if (table !== undefined) return table;
    this.unknown(
      path,
      'table',
      name,
      tables.map((each) => each.name),
    );
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

  generator(path: Path, generator: Generator, type: ScalarType): void {
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
    if ('alpha' in generator && typeof generator.alpha === 'string') {
      const parameter = this.parameter([...path, 'alpha'], generator.alpha);
      if (parameter?.type !== 'number' && parameter?.type !== 'integer') {
        if (parameter !== null) this.fail([...path, 'alpha'], `parameter "${generator.alpha}" is no number`);
      } else if (parameter.min < 0 || parameter.max > 32) {
        this.fail([...path, 'alpha'], `parameter "${generator.alpha}" goes beyond 0 to 32; narrow its range`);
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
    if (generator.kind === 'constant' && typeof generator.value === 'string')
      this.#constant(path, generator.value);
  }

  #constant(path: Path, value: string): void {
    if (!/^-?\d/.test(value)) this.parameter(path, value);
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
const generatorsByType: Readonly<Record<ScalarType['kind'], readonly string[]>> = {
  key: [...numbers, 'ycsb-zipf', 'latest', 'fresh', 'choice'],
  int64: [...numbers, 'operation'],
  bool: ['constant', 'uniform'],
  text: ['content'],
  bytes: ['content'],
};

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
    if (place < table.key.length) {
      if (type.kind !== 'key' && type.kind !== 'int64') {
        checker.fail(columnPath, `a key column is of type key or int64, got ${type.kind}`);
      }
      continue;
    }
    const seeds = ['constant', 'uniform', 'content'];
    if (!seeds.includes(generator.kind)) checker.fail(columnPath, `seeded by one of ${seeds.join(', ')}`);
    else checker.generator(columnPath, generator, type);
  }
  for (const index of table.indexes) {
    for (const name of index) {
      if (!names.includes(name)) checker.unknown([...path, 'indexes'], 'column', name, names);
    }
  }
}
