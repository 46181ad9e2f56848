import { blobValue, type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { Cell, CellRow, EmbeddedDatabase, Parameter, SqlConnection } from '@fair-bench/sql';

/** A statement with more, such as one of the loading, is used once. */
const keptParametersMax = 32;

export async function openDatabase(path: string): Promise<EmbeddedDatabase> {
  const instance = await DuckDBInstance.create(path);
  return {
    connect: async () => connectionOver(await instance.connect()),
    close: () => instance.closeSync(),
  };
}

/** Statements are prepared once for each connection. */
function connectionOver(connection: DuckDBConnection): SqlConnection {
  const prepared = new Map<string, ReturnType<DuckDBConnection['prepare']>>();
  return {
    async query(text, parameters) {
      if (parameters.length > keptParametersMax) {
        return rowsOf(await connection.runAndReadAll(text, parameters.map(valueOf)));
      }
      const known = prepared.get(text) ?? connection.prepare(text);
      prepared.set(text, known);
      const statement = await known;
      if (parameters.length > 0) statement.bind(parameters.map(valueOf));
      return rowsOf(await statement.runAndReadAll());
    },
    end() {
      connection.closeSync();
    },
  };
}

/** A number would be bound as a DOUBLE. */
function valueOf(value: Parameter): DuckDBValue {
  if (typeof value === 'number') return BigInt(value);
  if (value instanceof Uint8Array) return blobValue(value);
  if (typeof value === 'object') throw new Error('duckdb: a binding passes no lists');
  return value;
}

function rowsOf(result: { getRows(): DuckDBValue[][] }): readonly CellRow[] {
  return result.getRows().map((row) => row.map(cellOf));
}

function cellOf(value: DuckDBValue): Cell {
  if (value === null || typeof value !== 'object') return value;
  return 'bytes' in value ? value.bytes : String(value);
}
