import type { ModelRow } from '../store.ts';
import type { SeededStore } from './seeded-store.ts';
import type { ChainObjects } from './touches.ts';
import type { CodeTransaction } from './transaction.ts';

/**
 * The rows of chains as they were: of operations on a cycle, as snapshots permit, one has read what another has replaced before it
 * in the order in which they are carried out.
 */
export class OldRows {
  readonly #store: SeededStore;
  readonly #objects: ChainObjects;
  /** By object, its rows by the number that each had. */
  readonly #rows = new Map<number, Map<number, ModelRow>>();

  constructor(store: SeededStore, objects: ChainObjects) {
    this.#store = store;
    this.#objects = objects;
  }

  /** Keeps what an operation has written; its rows are in the store already. */
  note(transaction: CodeTransaction): void {
    for (const { table, key, row } of transaction.changed()) {
      const object = row === null ? null : this.#objects.ofRow(table.name, key.map(Number));
      if (object === null || row === null) continue;
      const number = this.#objects.numberIn(this.#store, object);
      if (number === null) continue;
      const known = this.#rows.get(object) ?? new Map<number, ModelRow>();
      this.#rows.set(object, known);
      known.set(number, row);
    }
  }

  /** The row of an object when it had a number; null where it never had, or has it still. */
  at(object: number, number: number): { readonly table: string; readonly row: ModelRow } | null {
    const { table, key } = this.#objects.rowOf(object);
    if (table === null) return null;
    const isFirst = number === this.#objects.first[object];
    const row =
      this.#rows.get(object)?.get(number) ?? (isFirst ? this.#store.seededRow(table.number, key) : null);
    return row === null ? null : { table: table.name, row };
  }
}
