import { nothingAt } from '../nothing-at.ts';
import type { Past, Program } from './program.ts';
import type { SeededStore } from './seeded-store.ts';
import { type ChainObjects, touchKinds, type TouchLog } from './touches.ts';
import { type CodeTables, CodeTransaction } from './transaction.ts';

interface During {
  readonly sentUs: Uint32Array;
  readonly settledUs: Uint32Array;
  /** When the operation was sent, and when it ended. */
  readonly from: number;
  readonly to: number;
}

/** A value and the operation that wrote it; −1 is the seeded one. */
interface Kept {
  readonly node: number;
  readonly values: readonly bigint[];
}

/** The values that columns have had, of chains that keep them. */
export class KeptPast {
  readonly #program: Program;
  readonly #tables: CodeTables;
  readonly #store: SeededStore;
  readonly #objects: ChainObjects;
  /** By object. */
  readonly #kept = new Map<number, Kept[]>();
  /** By object. */
  readonly #leavers = new Map<number, { readonly node: number; readonly number: number }[]>();
  /** By table, its chain with the columns that are kept. */
  readonly #chains: ReadonlyMap<string, { readonly chain: string; readonly columns: readonly string[] }>;

  constructor(program: Program, tables: CodeTables, store: SeededStore, objects: ChainObjects) {
    this.#program = program;
    this.#tables = tables;
    this.#store = store;
    this.#objects = objects;
    this.#chains = new Map(
      Object.entries(program.chains).flatMap(([chain, { table, keeps = [] }]) =>
        table === undefined || keeps.length === 0 ? [] : [[table, { chain, columns: keeps }] as const],
      ),
    );
  }

  /** Keeps what an operation has written; its rows are in the store already. */
  note(node: number, transaction: CodeTransaction): void {
    for (const { table, key, row } of transaction.changed()) {
      const kept = this.#chains.get(table.name);
      if (kept === undefined || row === null) continue;
      const object = this.#objects.of(kept.chain, key.map(Number));
      const named = this.#tables.named(table.name).nameRow(row);
      const values = kept.columns.map((column) => named.int(column));
      const known = this.#kept.get(object);
      if (known === undefined) this.#kept.set(object, [{ node, values }]);
      else known.push({ node, values });
    }
  }

  /** Which operation left which number. */
  learn({ node, object, kind, leaves }: TouchLog): void {
    for (let place = 0; place < node.length; place += 1) {
      if (kind.at(place) !== touchKinds.wrote && kind.at(place) !== touchKinds.left) continue;
      const left = { node: node.at(place), number: Number(leaves.at(place)) };
      const known = this.#leavers.get(object.at(place));
      if (known === undefined) this.#leavers.set(object.at(place), [left]);
      else known.push(left);
    }
  }

  /** As an operation may have found it that was sent and ended then. */
  during({ sentUs, settledUs, from, to }: During): Past {
    return {
      tx: new CodeTransaction(this.#store, this.#tables, { name: 'a reader', writes: {} }),
      number: (chain, key) => {
        const object = this.#objects.of(chain, key);
        let least = this.#objects.first[object] ?? nothingAt(object);
        let most = least;
        for (const { node, number } of this.#leavers.get(object) ?? []) {
          if ((sentUs[node] ?? nothingAt(node)) <= to) most = Math.max(most, number);
          if ((settledUs[node] ?? nothingAt(node)) < from) least = Math.max(least, number);
        }
        return { least, most };
      },
      values: (chain, key, column) => {
        const found = this.#program.chains[chain];
        const place = found?.keeps?.indexOf(column) ?? -1;
        if (found?.table === undefined || place === -1)
          throw new Error(`the chain "${chain}" does not keep "${column}"`);
        const written = this.#kept.get(this.#objects.of(chain, key)) ?? [];
        const all = [{ node: -1, values: [] }, ...written];
        return all.flatMap(({ node, values }, at): bigint[] => {
          const next = all[at + 1];
          // It was there from after its writer was sent until its replacement had ended.
          const begins = node === -1 ? 0 : (sentUs[node] ?? nothingAt(node));
          const ends =
            next === undefined ? Number.POSITIVE_INFINITY : (settledUs[next.node] ?? nothingAt(next.node));
          if (begins > to || ends < from) return [];
          return [
            node === -1 ? this.#seeded(found.table ?? '', key, column) : (values[place] ?? nothingAt(place)),
          ];
        });
      },
    };
  }

  #seeded(table: string, key: readonly number[], column: string): bigint {
    const { table: found, places } = this.#tables.named(table);
    const seeded = this.#store.at(found.number);
    const number = seeded.seededNumber(key);
    const value =
      number === null ? null : seeded.seededValue(number, places.get(column) ?? nothingAt(column));
    return typeof value === 'bigint' ? value : nothingAt(column);
  }
}
