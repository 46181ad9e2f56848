import { connect as connectSocket } from 'node:net';
import { createConnection } from 'mariadb';
import { driverValue, ended, endingWith, endpointOf, resultRows } from '@fair-bench/mysql';
import type { CellRow, Parameter, SqlConnection } from '@fair-bench/sql';

/** One connection; statements with parameters are prepared once for each. It neither reconnects nor sends again. */
export async function connect(url: string): Promise<SqlConnection> {
  const { host, port, ...endpoint } = endpointOf(url);
  const isPlain = endpoint.ssl === undefined;
  const socket = connectSocket({ host, port, noDelay: true });
  const connection = await createConnection({
    ...endpoint,
    stream: () => socket,
    rowsAsArray: true,
    // Times as the server writes them: a Date has milliseconds only.
    dateStrings: true,
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  // A lost connection is reported by the calls that it ends.
  connection.on('error', () => undefined);
  const query = async (text: string, parameters: readonly Parameter[]): Promise<readonly CellRow[]> =>
    resultRows(
      parameters.length === 0
        ? await connection.query<unknown>(text)
        : await connection.execute<unknown>(text, parameters.map(driverValue)),
    );
  return {
    // The driver listens to the encrypted stream: it stops to when an error of the socket below comes, which then ends the process,
    // and without an error it ends no call.
    query: isPlain ? query : endingWith(socket, query),
    // The driver's own `destroy` would open another connection, to kill what is outstanding. Only an error of the socket, and not its
    // close, ends a call that waits for its reply.
    end: () => void socket.destroy(isPlain ? new Error(ended) : undefined),
  };
}
