import { defineClient } from '@fair-bench/contract';
import { reconnectingSession } from '@fair-bench/session';
import { Connection } from '../sdk/connection.ts';
import { mutationsOf } from '../sdk/mutations.ts';

/**
 * One WebSocket of the official client per session. After a loss the client would reconnect by itself and resend
 * outstanding mutations, under ids by which the backend recognises committed ones. No other system's client may do
 * that, so it is closed at the loss. Nothing is subscribed to. Outstanding calls are on the wire at once, in order.
 * The backend runs the mutations of one connection one after the other (its sync worker's queue has a width of one),
 * so depth only saves waiting for the wire. A mutation counts as done when its result and the transition past its
 * commit have arrived. If Convex gives a mutation up (too many conflicts, no room), the backend does not answer it:
 * it ends the connection with the reason. Everything outstanding is then in doubt, because a result without its
 * transition was not visible.
 */
export default defineClient({
  async connect({ url }, { signal, workload }) {
    const mutations = mutationsOf(workload);
    return await reconnectingSession({
      retriesMax: 0,
      async open(bound) {
        const connection = new Connection(url, mutations);
        await connection.open(bound);
        return connection;
      },
      signal,
    });
  },
});
