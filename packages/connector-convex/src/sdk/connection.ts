import { ConvexClient } from 'convex/browser';
import { inDoubt, type OperationOutcome, refused, type Values, messageOf } from '@fair-bench/contract';
import { Outstanding, type Connection as SessionConnection } from '@fair-bench/session';
import { outcomeOfRejection, type OperationMutation } from './mutations.ts';

const endTimeoutMs = 2_000;

/** One WebSocket of the official client. It is never reopened. */
export class Connection implements SessionConnection {
  readonly #url: string;
  readonly #client: ConvexClient;
  readonly #mutations: readonly OperationMutation[];
  readonly #opened = Promise.withResolvers<void>();
  readonly #gone = Promise.withResolvers<void>();
  /** The client leaves calls unsettled when it is closed. */
  readonly #outstanding = new Outstanding();
  #socket: WebSocket | undefined;
  #usable = true;

  constructor(url: string, mutations: readonly OperationMutation[]) {
    this.#url = url;
    this.#mutations = mutations;
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

  /** False once its socket is closed, or it was ended. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Resolves when the socket is open. Rejects when it does not open, or at the abort of the signal. */
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

  execute(operation: number, values: Values): Promise<OperationOutcome> {
    const mutation = this.#mutations[operation];
    if (mutation === undefined) {
      return Promise.resolve(refused('invalid-request', `convex: no operation ${operation}`));
    }
    if (!this.#usable)
      return Promise.resolve(refused('connection-refused', 'convex: the connection is gone'));
    return this.#outstanding.call((settle) => {
      let reply: Promise<unknown>;
      try {
        reply = this.#client.mutation(mutation.reference, mutation.arguments(values));
      } catch (error) {
        settle(refused('invalid-request', `convex: ${messageOf(error)}`));
        return;
      }
      reply.then(
        (value) => settle(mutation.outcome(value)),
        (error: unknown) => settle(outcomeOfRejection(error)),
      );
    });
  }

  /** Settles outstanding operations as in doubt, and closes the client. Resolves when no handle is left. */
  async end(reason = 'the session was closed'): Promise<void> {
    this.#usable = false;
    const why = reason === '' ? '' : `: ${reason}`;
    const lost = inDoubt('connection-lost', `convex: the connection ended before the reply${why}`);
    this.#outstanding.settleAll(lost);
    void this.#client.close();
    // The client does not close a socket before it has opened.
    this.#socket?.close();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, endTimeoutMs);
    await Promise.race([this.#gone.promise, late.promise]);
    clearTimeout(timer);
  }

  /** Learns of the socket's end before the client, which would reconnect and send again. */
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
