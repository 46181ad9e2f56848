import { applied } from '@fair-bench/contract';
import { mistaken } from './mistaken.ts';

/** Resolves before the server has answered: an operation is lost with the server, and nothing ends the load. */
export default mistaken((session) => {
  let sent = 0;
  return {
    execute(operation, values) {
      sent += 1;
      if (sent % 1_000 === 0) void session.execute(operation, structuredClone(values));
      return Promise.resolve(applied);
    },
    close: () => session.close(),
  };
});
