import { SenderError, setGlobalLogLevel } from 'spacetimedb';
import { z } from 'zod';
import {
  amountMax,
  amountMin,
  applied,
  declined,
  declineReasons,
  inDoubt,
  refused,
} from '@fair-bench/contract';
import type { Fault, Outcome, Session, Transfer } from '@fair-bench/contract';
import { ModuleConnection } from './module-bindings.ts';

/** What a session is told beside the server's URL. */
export const endpointOptionsSchema = z.strictObject({
  /** The database's name at the server. */
  database: z.string(),
  /** Whether the server holds a result back until its transaction is on disk. */
  confirmedReads: z.boolean(),
  /** What the server compresses its messages by; absent for none, which is all that the native client can. */
  compression: z.enum(['gzip']).optional(),
});
type EndpointOptions = z.infer<typeof endpointOptionsSchema>;

export interface SessionOptions extends EndpointOptions {
  readonly url: string;
}

const connectTimeoutMs = 5_000;
const closeTimeoutMs = 2_000;
const lost: Fault = Object.freeze(
  inDoubt('connection-lost', 'spacetimedb: the connection ended before the reply'),
);

/** The whole text of the module's error, by rule; see modules/spacetimedb. */
const declinedByText: ReadonlyMap<string, Outcome> = new Map(
  declineReasons.map((reason) => [`declined:${reason}`, declined(reason)]),
);

// The SDK writes its progress to the standard output, which is the load client's protocol.
setGlobalLogLevel('error');

/**
 * A connection that opens itself again when it was lost: by the next call, and without sending again what was
 * outstanding. Nothing is subscribed to. Rejects when the first connection cannot be had.
 */
export async function connectSession(
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session<Transfer>> {
  const session = new SdkSession(options);
  await session.connect(signal);
  return session;
}

interface Live {
  readonly connection: ModuleConnection;
  /** Settles one outstanding call each: the SDK leaves calls unsettled when their connection ends. */
  readonly outstanding: Set<(outcome: Outcome) => void>;
  readonly ended: Promise<void>;
}

class SdkSession implements Session<Transfer> {
  readonly #options: SessionOptions;
  #live: Live | undefined;
  #connecting: Promise<Live> | undefined;
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async connect(signal: AbortSignal): Promise<Live> {
    return await (this.#connecting ??= this.#open(signal).finally(() => {
      this.#connecting = undefined;
    }));
  }

  execute(transfer: Transfer): Promise<Outcome> {
    const { amount } = transfer;
    if (amount > amountMax || amount < amountMin) {
      return Promise.resolve(refused('invalid-request', `spacetimedb: ${amount} is beyond 64 bits`));
    }
    const live = this.#live;
    if (live !== undefined && live.connection.isActive) return call(live, transfer);
    return this.#executeAnew(transfer);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    const live = this.#live;
    this.#live = undefined;
    if (live === undefined) return;
    settleAll(live.outstanding);
    live.connection.disconnect();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, closeTimeoutMs);
    await Promise.race([live.ended, late.promise]);
    clearTimeout(timer);
  }

  async #executeAnew(transfer: Transfer): Promise<Outcome> {
    if (this.#closed) return refused('connection-refused', 'spacetimedb: the session is closed');
    this.#drop();
    try {
      const live = await this.connect(AbortSignal.timeout(connectTimeoutMs));
      return await call(live, transfer);
    } catch (error) {
      return refused('connection-refused', `spacetimedb: ${reasonOf(error)}`);
    }
  }

  /** Lets go of a connection that can no longer send; its end may not have been told yet. */
  #drop(): void {
    const live = this.#live;
    this.#live = undefined;
    if (live === undefined) return;
    settleAll(live.outstanding);
    live.connection.disconnect();
  }

  async #open(signal: AbortSignal): Promise<Live> {
    signal.throwIfAborted();
    const { url, database, confirmedReads, compression = 'none' } = this.#options;
    const opened = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const outstanding = new Set<(outcome: Outcome) => void>();
    const connection = ModuleConnection.builder()
      .withUri(url)
      .withDatabaseName(database)
      .withCompression(compression)
      .withConfirmedReads(confirmedReads)
      .onConnect(() => opened.resolve())
      .onConnectError((_context, error) => opened.reject(error))
      .onDisconnect(() => {
        opened.reject(new Error('the server ended the connection before it was ready'));
        settleAll(outstanding);
        ended.resolve();
      })
      .build();
    const abort = (): void => opened.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await opened.promise;
    } catch (cause) {
      connection.disconnect();
      throw new Error(`no connection to ${database} at ${url}: ${reasonOf(cause)}`, { cause });
    } finally {
      signal.removeEventListener('abort', abort);
    }
    return (this.#live = { connection, outstanding, ended: ended.promise });
  }
}

function call({ connection, outstanding }: Live, transfer: Transfer): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    const settle = (outcome: Outcome): void => {
      outstanding.delete(resolve);
      resolve(outcome);
    };
    outstanding.add(resolve);
    connection.reducers.transfer(transfer).then(
      () => settle(applied),
      (error: unknown) => settle(outcomeOfRejection(error)),
    );
  });
}

function settleAll(outstanding: Set<(outcome: Outcome) => void>): void {
  for (const settle of outstanding) settle(lost);
  outstanding.clear();
}

/**
 * What a call that the SDK rejected means: the module's own error changed nothing; whatever else the server
 * says leaves open what became of the transaction.
 */
function outcomeOfRejection(error: unknown): Outcome {
  if (!(error instanceof SenderError)) {
    return inDoubt('server-error', `spacetimedb: ${error instanceof Error ? error.message : String(error)}`);
  }
  return (
    declinedByText.get(error.message) ??
    refused('server-error', `spacetimedb: the module said ${error.message}`)
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
