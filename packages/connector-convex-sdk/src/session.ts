import { ConvexClient } from 'convex/browser';
import { makeFunctionReference } from 'convex/server';
import { amountMax, amountMin, inDoubt, refused } from '@fair-bench/contract';
import type { Fault, Outcome, Session, Transfer } from '@fair-bench/contract';
import { outcomeOf, outcomeOfRejection } from './outcome.ts';

const transferFunction = makeFunctionReference<
  'mutation',
  { source: number; target: number; amount: bigint },
  unknown
>('transfer:transfer');

const connectTimeoutMs = 5_000;
const closeTimeoutMs = 2_000;
const lost: Fault = Object.freeze(
  inDoubt('connection-lost', 'convex: the connection ended before the reply'),
);

/**
 * A connection of the official client that opens itself again when it was lost: by the next call, and without sending
 * again what was outstanding. The client would do both by itself: it sends outstanding mutations again after a loss,
 * under the ids by which the backend knows the ones that it has committed. No other system's client is allowed that,
 * so it is closed at the loss. Nothing is subscribed to. Rejects when the first connection cannot be had.
 *
 * What is outstanding is on the wire at once, in the order of the calls. The backend runs the mutations of one
 * connection one after the other (its sync worker's queue has a width of one), so that depth saves waiting for the
 * wire and no more. A mutation counts as done when its result and the transition past its commit have arrived.
 */
export async function connectSession(url: string, signal: AbortSignal): Promise<Session<Transfer>> {
  const session = new ConvexSession(url);
  await session.connect(signal);
  return session;
}

interface Live {
  readonly client: ConvexClient;
  readonly socket: () => WebSocket | undefined;
  /** Settles one outstanding call each: the client leaves calls unsettled when it is closed. */
  readonly outstanding: Set<(outcome: Outcome) => void>;
  /** Resolves when its socket is gone. */
  readonly ended: Promise<void>;
}

class ConvexSession implements Session<Transfer> {
  readonly #url: string;
  #live: Live | undefined;
  #connecting: Promise<Live> | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  async connect(signal: AbortSignal): Promise<Live> {
    return await (this.#connecting ??= this.#open(signal).finally(() => {
      this.#connecting = undefined;
    }));
  }

  execute(transfer: Transfer): Promise<Outcome> {
    const { amount } = transfer;
    if (amount > amountMax || amount < amountMin) {
      return Promise.resolve(refused('invalid-request', `convex: ${amount} is beyond 64 bits`));
    }
    const live = this.#live;
    return live === undefined ? this.#executeAnew(transfer) : call(live, transfer);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    const live = this.#live;
    this.#live = undefined;
    if (live !== undefined) await end(live);
  }

  async #executeAnew({ source, target, amount }: Transfer): Promise<Outcome> {
    if (this.#closed) return refused('connection-refused', 'convex: the session is closed');
    try {
      const live = await this.connect(AbortSignal.timeout(connectTimeoutMs));
      return await call(live, { source, target, amount });
    } catch (error) {
      return refused(
        'connection-refused',
        `convex: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async #open(signal: AbortSignal): Promise<Live> {
    signal.throwIfAborted();
    const opened = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const abort = (): void => opened.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const live = start(
      this.#url,
      opened.resolve,
      () => {
        opened.reject(new Error(`no connection to ${this.#url}`));
        ended.resolve();
        if (this.#live === live) this.#live = undefined;
        void end(live);
      },
      ended.promise,
    );
    try {
      await opened.promise;
    } catch (error) {
      await end(live);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return (this.#live = live);
  }
}

/** A client whose socket tells of its opening and its end before the client hears of them. */
function start(url: string, opened: () => void, gone: () => void, ended: Promise<void>): Live {
  let current: WebSocket | undefined;
  const observe = (socket: WebSocket): void => {
    current = socket;
    socket.addEventListener('open', opened);
    socket.addEventListener('close', gone);
  };
  class ObservedWebSocket extends WebSocket {
    constructor(...words: ConstructorParameters<typeof WebSocket>) {
      super(...words);
      observe(this);
    }
  }
  const client = new ConvexClient(url, {
    webSocketConstructor: ObservedWebSocket,
    skipConvexDeploymentUrlCheck: true,
    // Standard output is the load client's protocol.
    logger: false,
    unsavedChangesWarning: false,
  });
  return { client, socket: () => current, outstanding: new Set(), ended };
}

function call({ client, outstanding }: Live, { source, target, amount }: Transfer): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    const settle = (outcome: Outcome): void => {
      outstanding.delete(resolve);
      resolve(outcome);
    };
    outstanding.add(resolve);
    client.mutation(transferFunction, { source, target, amount }).then(
      (value) => settle(outcomeOf(value)),
      (error: unknown) => settle(outcomeOfRejection(error)),
    );
  });
}

/** Settles what is outstanding, and closes the client before it would connect again. Resolves when no handle is left. */
async function end({ client, socket, outstanding, ended }: Live): Promise<void> {
  for (const settle of outstanding) settle(lost);
  outstanding.clear();
  void client.close();
  // The client waits with the closing of a socket until it has opened.
  socket()?.close();
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, closeTimeoutMs);
  await Promise.race([ended, late.promise]);
  clearTimeout(timer);
}
