import type { ColumnShape, ControlPlane, JsonObject, Row } from '@fair-bench/contract';
import { scalarFromJson, scalarToJson } from '@fair-bench/workload/execution';
import { z } from 'zod';
import type { ControlInUse } from './opened.ts';

const rowsPerCommand = 2_000;
const rowsSchema = z.array(z.array(z.unknown()));

type Json = JsonObject[string];

interface KeyedTable {
  readonly columns: readonly ColumnShape[];
  readonly keyColumns: number;
}

/** The tables of an engine, which is open while one of these runs. */
export function tablesOf(open: () => Promise<ControlInUse>, tables: readonly KeyedTable[]): ControlPlane {
  const at = (number: number): KeyedTable => {
    const table = tables[number];
    if (table === undefined) throw new Error(`the workload has no table ${number}`);
    return table;
  };
  const clear = async (table: number): Promise<void> => {
    await using inUse = await open();
    await inUse.control.ask({ do: 'clear', table });
  };
  return {
    async create(shapes) {
      for (const number of shapes.keys()) await clear(number);
    },
    // A description needs no binding.
    install: () => Promise.resolve(),
    clear,
    async load(table, pages) {
      await using inUse = await open();
      for await (const page of pages) {
        for (let from = 0; from < page.length; from += rowsPerCommand) {
          const rows = page.slice(from, from + rowsPerCommand).map(rowToJson);
          await inUse.control.ask({ do: 'load', table, rows });
        }
      }
    },
    async *scan(table) {
      const { columns, keyColumns } = at(table);
      await using inUse = await open();
      let after: Json = null;
      for (;;) {
        const page: unknown = await inUse.control.ask({ do: 'scan', table, after, limit: rowsPerCommand });
        const rows = rowsFromJson(page, columns);
        const last = rows.at(-1);
        if (last === undefined) return;
        after = rowToJson(last.slice(0, keyColumns));
        yield rows;
      }
    },
    async read(table, keys) {
      await using inUse = await open();
      const found = await inUse.control.ask({ do: 'read', table, keys: keys.map(rowToJson) });
      return rowsFromJson(found, at(table).columns);
    },
  };
}

function rowToJson(row: Row): Json[] {
  return row.map(scalarToJson);
}

/** Throws for what is no row of these columns. */
export function rowsFromJson(json: unknown, columns: readonly ColumnShape[]): Row[] {
  return rowsSchema
    .parse(json)
    .map((row) => columns.map(({ name, type }, place) => scalarFromJson(name, type, row[place])));
}
