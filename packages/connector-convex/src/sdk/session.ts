import {
  type Outcome,
  type Session,
  type Transfer,
  amountMax,
  amountMin,
  refused,
} from '@fair-bench/contract';
import { Connection } from './connection.ts';

const connectTimeoutMs = 5_000;

/**
 * A connection of the official client that opens itself again when it was lost: by the next call, and without sending
 * again what was outstanding. The client would do both by itself: it sends outstanding mutations again after a loss,
 * under the ids by which the backend knows the ones that it has committed. No other system's client is allowed that,
 * so it is closed at the loss. Nothing is subscribed to. Rejects when the first connection cannot be had.
 *
 * What is outstanding is on the wire at once, in the order of the calls. The backend runs the mutations of one
 * connection one after the other (its sync worker's queue has a width of one), so that depth saves waiting for the
 * wire and no more. A mutation counts as done when its result and the transition past its commit have arrived.
 *
 * A mutation that Convex gives up (too many conflicts, no room) is not answered: the backend ends the connection and
 * says why. All that was outstanding on it is then in doubt, for a result whose transition is missing was not seen.
 */
export async function connectSession(url: string, signal: AbortSignal): Promise<Session<Transfer>> {
  const session = new ConvexSession(url);
  await session.connect(signal);
  return session;
}

class ConvexSession implements Session<Transfer> {
  readonly #url: string;
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async connect(signal: AbortSignal): Promise<Connection> {
    return await (this.#connecting ??= this.#open(signal).finally(() => {
      this.#connecting = undefined;
    }));
  }

  execute(transfer: Transfer): Promise<Outcome> {
    const { amount } = transfer;
    if (amount > amountMax || amount < amountMin) {
      return Promise.resolve(refused('invalid-request', `convex: ${amount} is beyond 64 bits`));
    }
    const connection = this.#connection;
    return connection?.usable === true ? connection.call(transfer) : this.#executeAnew(transfer);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.end('the session was closed');
  }

  async #executeAnew({ source, target, amount }: Transfer): Promise<Outcome> {
    if (this.#closed) return refused('connection-refused', 'convex: the session is closed');
    try {
      const connection = await this.connect(AbortSignal.timeout(connectTimeoutMs));
      return await connection.call({ source, target, amount });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return refused('connection-refused', `convex: ${message}`);
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    signal.throwIfAborted();
    const connection = new Connection(this.#url);
    await connection.open(signal);
    return (this.#connection = connection);
  }
}
