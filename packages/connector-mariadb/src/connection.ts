import { connect as connectSocket, type Socket } from 'node:net';
import { createConnection } from 'mariadb';
import type { Cell, CellRow, Parameter, SqlConnection } from '@fair-bench/sql';
import { endpointOf } from './endpoint.ts';

const ended = 'the connection was ended';

/** One connection; statements with parameters are prepared once for each. It neither reconnects nor sends again. */
export async function connect(url: string): Promise<SqlConnection> {
  const { host, port, ...endpoint } = endpointOf(url);
  const isPlain = endpoint.ssl === undefined;
  const socket = connectSocket({ host, port, noDelay: true });
  const connection = await createConnection({
    ...endpoint,
    stream: () => socket,
    rowsAsArray: true,
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  // A lost connection is reported by the calls that it ends.
  connection.on('error', () => undefined);
  const query = async (text: string, parameters: readonly Parameter[]): Promise<readonly CellRow[]> =>
    rowsOf(
      parameters.length === 0
        ? await connection.query<unknown>(text)
        : await connection.execute<unknown>(text, parameters.map(valueOf)),
    );
  return {
    query: isPlain ? query : endingWith(socket, query),
    // The driver's own `destroy` would open another connection, to kill what is outstanding. Only an error of the socket, and not its
    // close, ends a call that waits for its reply.
    end: () => void socket.destroy(isPlain ? new Error(ended) : undefined),
  };
}

/**
 * Calls over TLS end with their socket. The driver listens to the encrypted stream: it stops to when an error of the socket below
 * comes, which then ends the process, and without an error it ends no call.
 */
function endingWith(socket: Socket, query: SqlConnection['query']): SqlConnection['query'] {
  const waiting = new Set<(error: Error) => void>();
  socket.on('close', () => {
    for (const reject of waiting) reject(new Error(ended));
  });
  return async (text, parameters) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly CellRow[]>();
    waiting.add(reject);
    query(text, parameters).then(resolve, reject);
    try {
      return await promise;
    } finally {
      waiting.delete(reject);
    }
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
