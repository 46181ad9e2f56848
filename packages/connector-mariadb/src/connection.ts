import { connect as connectSocket } from 'node:net';
import { createConnection } from 'mariadb';
import type { Cell, CellRow, Parameter, SqlConnection } from '@fair-bench/sql';

export const portOfSystem = 3306;

/** One connection; statements with parameters are prepared once for each. It neither reconnects nor sends again. */
export async function connect(url: string): Promise<SqlConnection> {
  const { hostname, port, username, password, pathname } = new URL(url);
  // A URL has an IPv6 address in brackets, a socket without.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectSocket({ host, port: Number(port || portOfSystem), noDelay: true });
  const connection = await createConnection({
    stream: () => socket,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    rowsAsArray: true,
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  // A lost connection is reported by the calls that it ends.
  connection.on('error', () => undefined);
  return {
    query: async (text, parameters) =>
      rowsOf(
        parameters.length === 0
          ? await connection.query<unknown>(text)
          : await connection.execute<unknown>(text, parameters.map(valueOf)),
      ),
    // The driver's own `destroy` would open another connection, to kill what is outstanding. Only an error of the socket, and not its
    // close, ends a call that waits for its reply.
    end: () => void socket.destroy(new Error('the connection was ended')),
  };
}

function valueOf(value: Parameter): Exclude<Parameter, readonly unknown[]> {
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    throw new TypeError('mariadb: a list is passed as JSON, not as an array');
  }
  return value;
}

/** A call returns the rows of its procedure, if any, and then how many it changed; another statement one of them. */
function rowsOf(result: unknown): readonly CellRow[] {
  if (!Array.isArray(result)) return [];
  const all: readonly unknown[] = result;
  const isCall = all.length > 0 && !Array.isArray(all.at(-1));
  const rows = isCall ? all[0] : all;
  return Array.isArray(rows) ? rows.map(cellsOf) : [];
}

function cellsOf(row: unknown): CellRow {
  return Array.isArray(row) ? row.map(cellOf) : [];
}

function cellOf(value: unknown): Cell {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  throw new TypeError(`mariadb: a cell of the type ${typeof value} was not expected`);
}
