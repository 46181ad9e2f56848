import { z } from 'zod';
import {
  type ColumnShape,
  type ControlPlane,
  type Row,
  type ScalarValue,
  tableAt,
  type TableShape,
  type WorkloadShape,
} from '@fair-bench/contract';
import { functionNames, rowsPerLoad } from '@fair-bench/rpc-server-convex';
import type { AdminApi } from './admin-api.ts';

const keysPerCall = 100;
const deletedSchema = z.int().min(0);
const cellSchema = z.union([z.number(), z.boolean(), z.string()]);
const rowsSchema = z.array(z.array(cellSchema));
const pageSchema = z.strictObject({ rows: rowsSchema, cursor: z.string().nullable() });

/** The tables by separate HTTP requests, with the admin key: the functions behind them are internal. */
export function convexTables(api: AdminApi, { tables: shapes }: WorkloadShape): ControlPlane {
  const at = (table: number): TableShape => tableAt('convex', shapes, table);
  return {
    // The push created the tables and their indexes.
    async create(tables, signal) {
      for (const table of tables) await clearTable(api, table, signal);
    },
    // The push included the binding's functions.
    install: () => Promise.resolve(),
    async load(table, pages, signal) {
      const { name } = at(table);
      for await (const page of pages) {
        for (let first = 0; first < page.length; first += rowsPerLoad) {
          const rows = page.slice(first, first + rowsPerLoad).map((row) => row.map(toJson));
          await api.call(functionNames.load, { table: name, rows }, z.null(), signal);
        }
      }
    },
    async *scan(table, signal) {
      const shape = at(table);
      let cursor: string | null = null;
      do {
        const page: z.infer<typeof pageSchema> = await api.call(
          functionNames.page,
          { table: shape.name, cursor },
          pageSchema,
          signal,
        );
        yield page.rows.map((row) => fromJson(shape, row));
        cursor = page.cursor;
      } while (cursor !== null);
    },
    async read(table, keys, signal) {
      const shape = at(table);
      const found: Row[] = [];
      for (let first = 0; first < keys.length; first += keysPerCall) {
        const page = keys.slice(first, first + keysPerCall).map((key) => key.map(toJson));
        const rows = await api.call(
          functionNames.find,
          { table: shape.name, keys: page },
          rowsSchema,
          signal,
        );
        found.push(...rows.map((row) => fromJson(shape, row)));
      }
      return found;
    },
    clear: async (table, signal) => await clearTable(api, at(table), signal),
  };
}

/** Deletes every row, as many at a time as one transaction allows. */
export async function clearTable(api: AdminApi, { name }: TableShape, signal: AbortSignal): Promise<void> {
  let deleted: number;
  do {
    deleted = await api.call(functionNames.clear, { table: name }, deletedSchema, signal);
  } while (deleted > 0);
}

type Cell = z.infer<typeof cellSchema>;

function toJson(value: ScalarValue): Cell {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

function fromJson({ name, columns }: TableShape, row: readonly Cell[]): Row {
  return columns.map(({ type }, place) => {
    const cell = row[place];
    if (cell === undefined) throw new Error(`convex: a row of ${name} lacks a column`);
    return valueOf(type, cell);
  });
}

function valueOf({ kind }: ColumnShape['type'], cell: Cell): ScalarValue {
  if (kind === 'int64') return BigInt(cell);
  return kind === 'bytes' ? Buffer.from(String(cell), 'base64') : cell;
}
