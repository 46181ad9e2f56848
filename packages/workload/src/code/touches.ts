import { nothingAt } from '../nothing-at.ts';
import { BigInt64List, Uint32List } from '../replay/growing.ts';
import type { ResolvedTable } from '../resolved.ts';
import type { Program, Touches } from './program.ts';
import type { SeededStore } from './seeded-store.ts';
import type { CodeTables } from './transaction.ts';

/** How an operation came to a number of a chain. */
export const touchKinds = { wrote: 0, read: 1, left: 2, saw: 3, after: 4, before: 5 } as const;

/** The rows that chains are of, numbered as they are met. */
export class ChainObjects {
  readonly #program: Program;
  readonly #tables: CodeTables;
  readonly #numbers = new Map<string, number>();
  readonly #names: { readonly chain: string; readonly key: readonly number[] }[] = [];
  /** By object, its number before the first operation. */
  readonly first: number[] = [];
  /** The rows as they were seeded. */
  readonly #seeded: SeededStore;

  constructor(program: Program, tables: CodeTables, seeded: SeededStore) {
    this.#program = program;
    this.#tables = tables;
    this.#seeded = seeded;
  }

  get length(): number {
    return this.#names.length;
  }

  of(chain: string, key: readonly number[]): number {
    const name = `${chain} ${key.join(' ')}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#names.length;
    this.#numbers.set(name, number);
    this.#names.push({ chain, key });
    this.first.push(this.numberIn(this.#seeded, number) ?? 0);
    return number;
  }

  at(object: number): { readonly chain: string; readonly key: readonly number[] } {
    return this.#names[object] ?? nothingAt(object);
  }

  /** "stock (1, 17)" */
  describe(object: number): string {
    const { chain, key } = this.at(object);
    return `${chain} (${key.join(', ')})`;
  }

  /** The number that the row of an object has in a store; its first one without a row; null where the row is missing. */
  numberIn(store: SeededStore, object: number): number | null {
    const { chain, key } = this.at(object);
    const { table, counter = [], first } = this.#chain(chain);
    if (table === undefined || counter.length === 0) return first?.(key, this.#tables.parameter) ?? 0;
    const { table: found, nameRow } = this.#tables.named(table);
    const row = store.get(found.number, key);
    if (row === null) return null;
    const named = nameRow(row);
    return counter.reduce((sum, column) => sum + Number(named.int(column)), 0);
  }

  /** The object of a row that has a number; null of any other row. */
  ofRow(table: string, key: readonly number[]): number | null {
    const found = Object.entries(this.#program.chains).find(
      ([, chain]) => chain.table === table && (chain.counter?.length ?? 0) > 0,
    );
    return found === undefined ? null : this.of(found[0], key);
  }

  /** The row that has an object's number; no table where its number is in none. */
  rowOf(object: number): { readonly table: ResolvedTable | null; readonly key: readonly number[] } {
    const { chain, key } = this.at(object);
    const { table, counter = [] } = this.#chain(chain);
    const isCounted = table !== undefined && counter.length > 0;
    return { table: isCounted ? this.#tables.named(table).table : null, key };
  }

  /** Whether its number is in a row. */
  isCounted(object: number): boolean {
    const { counter = [] } = this.#chain(this.at(object).chain);
    return counter.length > 0;
  }

  #chain(name: string): Program['chains'][string] {
    const chain = this.#program.chains[name];
    if (chain !== undefined) return chain;
    throw new Error(`there is no chain "${name}"; there are ${Object.keys(this.#program.chains).join(', ')}`);
  }
}

/** What all operations of a trial say that they found, in the order of the operations. */
export class TouchLog implements Touches {
  readonly objects: ChainObjects;
  readonly node = new Uint32List();
  readonly object = new Uint32List();
  readonly kind = new Uint32List();
  /** What it found; of `left` and the others the number that they name. */
  readonly number = new BigInt64List();
  /** What it left. */
  readonly leaves = new BigInt64List();
  #current = 0;

  constructor(objects: ChainObjects) {
    this.objects = objects;
  }

  /** The operation whose touches come next. */
  begin(node: number): this {
    this.#current = node;
    return this;
  }

  wrote(chain: string, key: readonly number[], found: number, times = 1): void {
    this.#add(chain, key, touchKinds.wrote, found, found + times);
  }

  read(chain: string, key: readonly number[], found: number): void {
    this.#add(chain, key, touchKinds.read, found, found);
  }

  left(chain: string, key: readonly number[], number: number): void {
    this.#add(chain, key, touchKinds.left, number, number);
  }

  saw(chain: string, key: readonly number[], number: number | null): void {
    this.#add(chain, key, touchKinds.saw, number ?? Number.MIN_SAFE_INTEGER, 0);
  }

  after(chain: string, key: readonly number[], number: number): void {
    this.#add(chain, key, touchKinds.after, number, 0);
  }

  before(chain: string, key: readonly number[], number: number): void {
    this.#add(chain, key, touchKinds.before, number, 0);
  }

  #add(chain: string, key: readonly number[], kind: number, number: number, after: number): void {
    this.node.push(this.#current);
    this.object.push(this.objects.of(chain, key));
    this.kind.push(kind);
    this.number.push(BigInt(number));
    this.leaves.push(BigInt(after));
  }
}
