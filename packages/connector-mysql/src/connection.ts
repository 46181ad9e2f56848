import { connect as connectSocket } from 'node:net';
import { driverValue, ended, endingWith, endpointOf, forMysql2, resultRows } from '@fair-bench/mysql';
import type { SqlConnection } from '@fair-bench/sql';
import { createConnection } from 'mysql2/promise';

/** One connection; statements with parameters are prepared once for each. It neither reconnects nor sends again. */
export async function connect(url: string): Promise<SqlConnection> {
  const endpoint = forMysql2(endpointOf(url));
  const { host, port } = endpoint;
  const socket = connectSocket({ host, port, noDelay: true });
  const connection = await createConnection({
    ...endpoint,
    stream: socket,
    rowsAsArray: true,
    // Integers beyond 2⁵³ come exactly, as decimal texts.
    supportBigNumbers: true,
    // Times as the server writes them: a Date has milliseconds only.
    dateStrings: true,
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  // A lost connection is reported by the calls that it ends.
  connection.on('error', () => undefined);
  return {
    // The driver ends no call that waits for its reply when its connection is destroyed.
    query: endingWith(socket, async (text, parameters) => {
      const [result] =
        parameters.length === 0
          ? await connection.query(text)
          : await connection.execute(text, parameters.map(driverValue));
      return resultRows(result);
    }),
    end: () => {
      connection.destroy();
      socket.destroy(new Error(ended));
    },
  };
}
