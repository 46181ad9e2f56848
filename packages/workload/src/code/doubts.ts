import type { Values } from '@fair-bench/contract';
import type { CodeOperations } from './carry-out.ts';
import type { RowsInCode } from './rows.ts';
import type { SeededStore } from './seeded-store.ts';
import type { ChainObjects } from './touches.ts';

/** An operation's number and the values that it was called with. */
interface Call {
  readonly operation: number;
  readonly values: Values;
}

/** Operations that write and have no answer: each has happened or has not. */
export class Doubts {
  readonly #operations: CodeOperations;
  readonly #store: SeededStore;
  readonly #objects: ChainObjects;
  readonly #calls: Call[] = [];
  /** How many have happened. */
  applied = 0;

  constructor(operations: CodeOperations, store: SeededStore, objects: ChainObjects) {
    this.#operations = operations;
    this.#store = store;
    this.#objects = objects;
  }

  /** Whether any is not settled yet. */
  get some(): boolean {
    return this.#calls.length > 0;
  }

  add(call: Call): void {
    this.#calls.push(call);
  }

  /** Carries out those that must have happened, because a later operation found an object with this number. */
  bringTo(object: number, number: number): void {
    for (;;) {
      const has = this.#objects.numberIn(this.#store, object);
      if (has === null || has >= number) return;
      const next = this.#calls.findIndex((call) => this.#raises(call, object, has));
      if (next === -1) return;
      this.#calls.splice(next, 1);
    }
  }

  /** Carries an operation in doubt out if that raises an object's number. */
  #raises({ operation, values }: Call, object: number, before: number): boolean {
    try {
      const done = this.#operations.carryOut(operation, values, this.#store, null);
      if (done.kind === 'declined') return false;
      const undone = [...done.transaction.changed()].map(({ table, key }) => ({
        table: table.number,
        key,
        row: this.#store.get(table.number, key),
      }));
      done.transaction.commit();
      if ((this.#objects.numberIn(this.#store, object) ?? before) > before) {
        this.applied += 1;
        return true;
      }
      for (const { table, key, row } of undone) {
        if (row === null) this.#store.remove(table, key);
        else this.#store.put(table, row);
      }
      return false;
    } catch {
      // It cannot have happened here.
      return false;
    }
  }

  /** Carries out those that no later operation has seen, in whatever order they were applied. */
  settle(rows: RowsInCode): void {
    for (;;) {
      const next = this.#calls.findIndex((call) => this.#isLast(call, rows));
      if (next === -1) return;
      this.#calls.splice(next, 1);
      this.applied += 1;
    }
  }

  /** Carries an operation in doubt out if rows are as it would leave them, and not as they were before. */
  #isLast({ operation, values }: Call, rows: RowsInCode): boolean {
    try {
      const done = this.#operations.carryOut(operation, values, this.#store, null);
      if (done.kind === 'declined') return false;
      const changed = [...done.transaction.changed()];
      const isSeen = changed.some(({ table, key, row }) => rows.differsAs(table.number, key, row));
      // A row that is there or gone is not another's; what is set may have been set again.
      const isWhole = changed.every(({ table, key, row }) => {
        const isNewOrGone = row === null || this.#store.get(table.number, key) === null;
        return !isNewOrGone || rows.differsAs(table.number, key, row);
      });
      if (!isSeen || !isWhole) return false;
      done.transaction.commit();
      return true;
    } catch {
      // It cannot have happened last.
      return false;
    }
  }
}
