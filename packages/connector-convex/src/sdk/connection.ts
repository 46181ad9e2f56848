import { ConvexClient } from 'convex/browser';
import { makeFunctionReference } from 'convex/server';
import { amountMax, amountMin, inDoubt, type Outcome, refused, type Transfer } from '@fair-bench/contract';
import { Outstanding, type Connection as SessionConnection } from '@fair-bench/session';
import { outcomeOf, outcomeOfRejection } from './outcome.ts';

const transferFunction = makeFunctionReference<
  'mutation',
  { source: number; target: number; amount: bigint },
  unknown
>('transfer:transfer');
const endTimeoutMs = 2_000;

/** One WebSocket of the official client, for as long as it holds: it is never opened again. */
export class Connection implements SessionConnection<Transfer> {
  readonly #url: string;
  readonly #client: ConvexClient;
  readonly #opened = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  /** The client leaves calls unsettled when it is closed. */
  readonly #outstanding = new Outstanding();
  #socket: WebSocket | undefined;
  #usable = true;

  constructor(url: string) {
    this.#url = url;
    const observe = (socket: WebSocket): void => this.#observe(socket);
    class ObservedWebSocket extends WebSocket {
      constructor(...words: ConstructorParameters<typeof WebSocket>) {
        super(...words);
        observe(this);
      }
    }
    this.#client = new ConvexClient(url, {
      webSocketConstructor: ObservedWebSocket,
      skipConvexDeploymentUrlCheck: true,
      // Standard output is the load client's protocol.
      logger: false,
      unsavedChangesWarning: false,
    });
  }

  /** False once its socket is gone, or it was told to end. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Resolves when the socket is open. Rejects when it cannot be had, or at the abort of the signal. */
  async open(signal: AbortSignal): Promise<void> {
    const abort = (): void => this.#opened.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#opened.promise;
    } catch (error) {
      await this.end('');
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  execute({ source, target, amount }: Transfer): Promise<Outcome> {
    if (amount > amountMax || amount < amountMin) {
      return Promise.resolve(refused('invalid-request', `convex: ${amount} is beyond 64 bits`));
    }
    if (!this.#usable)
      return Promise.resolve(refused('connection-refused', 'convex: the connection is gone'));
    return this.#outstanding.call((settle) => {
      this.#client.mutation(transferFunction, { source, target, amount }).then(
        (value) => settle(outcomeOf(value)),
        (error: unknown) => settle(outcomeOfRejection(error)),
      );
    });
  }

  /** Settles what is outstanding as in doubt, and closes the client. Resolves when no handle is left. */
  async end(reason = 'the session was closed'): Promise<void> {
    this.#usable = false;
    const why = reason === '' ? '' : `: ${reason}`;
    const lost = inDoubt('connection-lost', `convex: the connection ended before the reply${why}`);
    this.#outstanding.settleAll(lost);
    void this.#client.close();
    // The client waits with the closing of a socket until it has opened.
    this.#socket?.close();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, endTimeoutMs);
    await Promise.race([this.#gone.promise, late.promise]);
    clearTimeout(timer);
  }

  /** Hears of the socket's end before the client does, which would connect anew and send again. */
  #observe(socket: WebSocket): void {
    this.#socket = socket;
    socket.addEventListener('open', () => this.#opened.resolve());
    socket.addEventListener('close', ({ reason }) => {
      this.#opened.reject(new Error(`no connection to ${this.#url}`));
      this.#gone.resolve();
      void this.end(reason);
    });
  }
}
