import type { ControlPlane, Row } from '@fair-bench/contract';
import type { EngineInUse } from './opened.ts';
import { after, type StoredTable } from './stored-rows.ts';
import type { Engine, Entry } from './system.ts';

const rowsPerStep = 2_000;

/** The tables of an engine, which is open while one of these runs. */
export function tablesOf(open: () => Promise<EngineInUse>, stored: readonly StoredTable[]): ControlPlane {
  const at = (number: number): StoredTable => {
    const table = stored[number];
    if (table === undefined) throw new Error(`the workload has no table ${number}`);
    return table;
  };
  const clear = async (number: number): Promise<void> => {
    await using inUse = await open();
    const { engine } = inUse;
    for await (const entries of pagesOf(engine, at(number))) {
      await engine.transact((writes) => entries.forEach(([key]) => writes.remove(key)));
    }
  };
  return {
    async create(tables) {
      for (const number of tables.keys()) await clear(number);
    },
    // A description needs no binding.
    install: () => Promise.resolve(),
    clear,
    async load(number, pages) {
      const table = at(number);
      await using inUse = await open();
      const { engine } = inUse;
      for await (const page of pages) {
        for (let from = 0; from < page.length; from += rowsPerStep) {
          const rows = page.slice(from, from + rowsPerStep);
          await engine.transact((writes) =>
            rows.forEach((row) => writes.put(table.keyOf(row), table.valueOf(row))),
          );
        }
      }
    },
    async *scan(number) {
      const table = at(number);
      await using inUse = await open();
      for await (const entries of pagesOf(inUse.engine, table)) {
        yield entries.map((entry) => table.rowOfEntry(entry));
      }
    },
    async read(number, keys) {
      const table = at(number);
      await using inUse = await open();
      const { engine } = inUse;
      return await engine.atOneMoment((reads) =>
        keys.flatMap((key): Row[] => {
          const value = reads.get(table.keyOf(key));
          return value === undefined ? [] : [table.rowOf(key, value)];
        }),
      );
    },
  };
}

async function* pagesOf(engine: Engine, table: StoredTable): AsyncGenerator<readonly Entry[]> {
  const whole = table.keyOf([]);
  const until = after(whole);
  let from: Uint8Array = whole;
  for (;;) {
    const entries = await engine.range({ from, until, reverse: false, limit: rowsPerStep });
    const last = entries.at(-1);
    if (last === undefined) return;
    // The least key that is greater.
    from = Buffer.concat([last[0], Buffer.alloc(1)]);
    yield entries;
  }
}
