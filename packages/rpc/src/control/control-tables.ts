import { type ControlPlane, tableAt, type TableShape } from '@fair-bench/contract';
import { decodeRows, encodeRows } from '../codec/rows.ts';
import { tablesAnswerSchema, type TablesRequest } from '../protocol.ts';
import type { Ask } from './start-server.ts';

const rowsPerPage = 10_000;

/** The tables of an engine inside an RPC server of one process, by its control port. The server imports its own binding. */
export function controlTables(system: string, askServer: Ask, shapes: readonly TableShape[]): ControlPlane {
  const ask = async (request: TablesRequest, signal: AbortSignal): Promise<string> =>
    (await askServer('POST /tables', tablesAnswerSchema, signal, { ...request })).rows;
  const columnsOf = (table: number): TableShape['columns'] => tableAt(system, shapes, table).columns;
  const clear = async (table: number, signal: AbortSignal): Promise<void> => {
    await ask({ ask: 'clear', table }, signal);
  };
  return {
    // The server created them at its start.
    async create(tables, signal) {
      for (const table of tables.keys()) await clear(table, signal);
    },
    install: () => Promise.resolve(),
    clear,
    async load(table, pages, signal) {
      for await (const page of pages) {
        for (let from = 0; from < page.length; from += rowsPerPage) {
          const rows = encodeRows(page.slice(from, from + rowsPerPage));
          await ask({ ask: 'load', table, rows }, signal);
        }
      }
    },
    async *scan(table, signal) {
      const columns = columnsOf(table);
      for (let begins = true; ; begins = false) {
        const rows = decodeRows(await ask({ ask: 'scan', table, begins }, signal), columns);
        if (rows.length === 0) return;
        yield rows;
      }
    },
    read: async (table, keys, signal) =>
      decodeRows(await ask({ ask: 'read', table, keys: encodeRows(keys) }, signal), columnsOf(table)),
    replace: async (table, rows, signal) =>
      void (await ask({ ask: 'replace', table, rows: encodeRows(rows) }, signal)),
  };
}
