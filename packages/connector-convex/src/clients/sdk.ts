import { defineClient } from '@fair-bench/contract';
import { reconnectingSession } from '@fair-bench/session';
import { Connection, type OperationCall } from '../sdk/connection.ts';
import { mutationsOf } from '../sdk/mutations.ts';

/**
 * One WebSocket of the official client for each session. After a loss the client would connect again by itself and send outstanding
 * mutations again, under the ids by which the backend knows the ones that it has committed. No other system's client
 * is allowed that, so it is closed at the loss. Nothing is subscribed to.
 *
 * What is outstanding is on the wire at once, in the order of the calls. The backend runs the mutations of one
 * connection one after the other (its sync worker's queue has a width of one), so that depth saves waiting for the
 * wire and no more. A mutation counts as done when its result and the transition past its commit have arrived.
 *
 * A mutation that Convex gives up (too many conflicts, no room) is not answered: the backend ends the connection and
 * says why. All that was outstanding on it is then in doubt, for a result whose transition is missing was not seen.
 */
export default defineClient({
  async connect({ url }, { signal, workload }) {
    const mutations = mutationsOf(workload);
    const session = await reconnectingSession<OperationCall, Connection>({
      async open(bound) {
        const connection = new Connection(url, mutations);
        await connection.open(bound);
        return connection;
      },
      signal,
    });
    return {
      execute: (operation, values) => session.execute({ operation, values }),
      close: () => session.close(),
    };
  },
});
