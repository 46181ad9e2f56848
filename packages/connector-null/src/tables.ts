import { z } from 'zod';
import { type ControlPlane, type Row, tableAt, type TableShape } from '@fair-bench/contract';
import { decodeRows, encodeRows, type Ask } from '@fair-bench/rpc';
import { nullAnswerSchema, type NullControlRequest } from '@fair-bench/rpc-server-null';

const answersSchema = z.object({ answers: z.array(nullAnswerSchema) });
const rowsPerPage = 20_000;

/** The tables in the server's memory, reached through its control port. */
export function nullTables(askServer: Ask, shapes: readonly TableShape[]): ControlPlane {
  const ask = async (request: NullControlRequest, signal: AbortSignal): Promise<string> => {
    const { answers } = await askServer('POST /backend', answersSchema, signal, { ...request });
    return answers[0]?.rows ?? '[]';
  };
  const clear = async (table: number, signal: AbortSignal): Promise<void> => {
    await ask({ ask: 'clear', table }, signal);
  };
  return {
    async create(tables, signal) {
      for (const table of tables.keys()) await clear(table, signal);
    },
    // The model answers: there is nothing to bind.
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
      const { columns } = tableAt('null', shapes, table);
      let from = 0;
      let rows: readonly Row[];
      do {
        rows = decodeRows(await ask({ ask: 'scan', table, from, count: rowsPerPage }, signal), columns);
        from += rows.length;
        if (rows.length > 0) yield rows;
      } while (rows.length === rowsPerPage);
    },
    async read(table, keys, signal) {
      const { columns } = tableAt('null', shapes, table);
      return decodeRows(await ask({ ask: 'read', table, keys: encodeRows(keys) }, signal), columns);
    },
  };
}
