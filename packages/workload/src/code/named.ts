import { isListValue, type ScalarValue, type Value, type Values } from '@fair-bench/contract';
import type { ResolvedArgument, ResolvedTable } from '../resolved.ts';
import type { Arguments, Named } from './program.ts';

/** The places of names. */
type Places = ReadonlyMap<string, number>;

/** Values by their names. */
export class NamedValues implements Named {
  readonly #of: string;
  readonly #places: Places;
  readonly values: readonly (ScalarValue | null | undefined)[];

  constructor(of: string, places: Places, values: readonly (ScalarValue | null | undefined)[]) {
    this.#of = of;
    this.#places = places;
    this.values = values;
  }

  key(name: string): number {
    const value = this.#at(name);
    if (typeof value === 'number') return value;
    throw this.#wrong(name, value, 'key');
  }

  int(name: string): bigint {
    const value = this.#at(name);
    if (typeof value === 'bigint') return value;
    throw this.#wrong(name, value, 'int64');
  }

  flag(name: string): boolean {
    const value = this.#at(name);
    if (typeof value === 'boolean') return value;
    throw this.#wrong(name, value, 'bool');
  }

  text(name: string): string {
    const value = this.#at(name);
    if (typeof value === 'string') return value;
    throw this.#wrong(name, value, 'text');
  }

  value(name: string): ScalarValue | null {
    return this.#at(name) ?? null;
  }

  #at(name: string): ScalarValue | null | undefined {
    const place = this.#places.get(name);
    if (place === undefined)
      throw new Error(`${this.#of} has no "${name}"; it has ${[...this.#places.keys()].join(', ')}`);
    return this.values[place];
  }

  #wrong(name: string, value: unknown, type: string): Error {
    return new Error(`${name} of ${this.#of} is no ${type}: ${String(value)}`);
  }
}

/** The arguments of an operation by their names. */
class NamedArguments extends NamedValues implements Arguments {
  readonly #lists: ReadonlyMap<string, readonly Named[]>;

  constructor(
    of: string,
    places: Places,
    values: readonly (ScalarValue | undefined)[],
    lists: ReadonlyMap<string, readonly Named[]>,
  ) {
    super(of, places, values);
    this.#lists = lists;
  }

  list(name: string): readonly Named[] {
    const found = this.#lists.get(name);
    if (found === undefined) throw new Error(`there is no list "${name}"`);
    return found;
  }
}

export function placesOf(named: readonly { readonly name: string }[]): Places {
  return new Map(named.map(({ name }, place) => [name, place]));
}

/** The rows of a table by their columns' names. */
export function rowNamer({ name, columns }: ResolvedTable): (values: NamedValues['values']) => NamedValues {
  const places = placesOf(columns);
  return (values) => new NamedValues(name, places, values);
}

/** The arguments of an operation by their names, as they are until the next operation is drawn. */
export function argumentNamer(
  operation: string,
  all: readonly ResolvedArgument[],
): (values: Values) => Arguments {
  const places = placesOf(all);
  const lists = all.flatMap((argument, slot) =>
    argument.kind === 'list' ? [{ slot, name: argument.name, places: placesOf(argument.fields) }] : [],
  );
  return (values) => {
    const records = lists.map(({ slot, name, places: fields }): [string, readonly Named[]] => [
      name,
      recordsOf(name, fields, values[slot]),
    ]);
    const scalars = values.map((value) => (isListValue(value) ? undefined : value));
    return new NamedArguments(operation, places, scalars, new Map(records));
  };
}

function recordsOf(name: string, places: Places, value: Value | undefined): readonly Named[] {
  if (!isListValue(value)) return [];
  return Array.from(
    { length: value.length },
    (_, record) =>
      new NamedValues(
        name,
        places,
        value.fields.map((field) => field[record]),
      ),
  );
}
