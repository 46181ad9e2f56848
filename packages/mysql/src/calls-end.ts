import type { Socket } from 'node:net';
import type { CellRow, SqlConnection } from '@fair-bench/sql';

export const ended = 'the connection was ended';

/** Calls that end with their socket, where a driver leaves those that wait for a reply unsettled. */
export function endingWith(socket: Socket, query: SqlConnection['query']): SqlConnection['query'] {
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
