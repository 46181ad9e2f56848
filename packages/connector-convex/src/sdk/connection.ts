import { ConvexClient } from 'convex/browser';
import { makeFunctionReference } from 'convex/server';
import { type Outcome, type Transfer, inDoubt, refused } from '@fair-bench/contract';
import { outcomeOf, outcomeOfRejection } from './outcome.ts';

const transferFunction = makeFunctionReference<
  'mutation',
  { source: number; target: number; amount: bigint },
  unknown
>('transfer:transfer');
const endTimeoutMs = 2_000;

/** One WebSocket of the official client, for as long as it holds: it is never opened again. */
export class Connection {
  readonly #url: string;
  readonly #client: ConvexClient;
  readonly #opened = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  /** Settles one outstanding call each: the client leaves calls unsettled when it is closed. */
  readonly #outstanding = new Set<(outcome: Outcome) => void>();
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

  call({ source, target, amount }: Transfer): Promise<Outcome> {
    if (!this.#usable)
      return Promise.resolve(refused('connection-refused', 'convex: the connection is gone'));
    return new Promise<Outcome>((resolve) => {
      const settle = (outcome: Outcome): void => {
        this.#outstanding.delete(resolve);
        resolve(outcome);
      };
      this.#outstanding.add(resolve);
      this.#client.mutation(transferFunction, { source, target, amount }).then(
        (value) => settle(outcomeOf(value)),
        (error: unknown) => settle(outcomeOfRejection(error)),
      );
    });
  }

  /** Settles what is outstanding as in doubt, and closes the client. Resolves when no handle is left. */
  async end(reason: string): Promise<void> {
    this.#usable = false;
    const why = reason === '' ? '' : `: ${reason}`;
    const lost = inDoubt('connection-lost', `convex: the connection ended before the reply${why}`);
    for (const settle of this.#outstanding) settle(lost);
    this.#outstanding.clear();
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
