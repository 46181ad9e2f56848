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
import { Outstanding, reasonOf, reconnectingSession, type Connection } from '@fair-bench/session';
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

/** A session of the official SDK. Nothing is subscribed to. Rejects when the first connection cannot be opened. */
export async function connectSession(
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session<Transfer>> {
  return await reconnectingSession<Transfer, Connection<Transfer>>({
    open: async (bound) => await open(options, bound),
    signal,
  });
}

async function open(options: SessionOptions, signal: AbortSignal): Promise<Connection<Transfer>> {
  const { url, database, confirmedReads, compression = 'none' } = options;
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // The SDK leaves calls unsettled when their connection ends.
  const outstanding = new Outstanding();
  const connection = ModuleConnection.builder()
    .withUri(url)
    .withDatabaseName(database)
    .withCompression(compression)
    .withConfirmedReads(confirmedReads)
    .onConnect(() => opened.resolve())
    .onConnectError((_context, error) => opened.reject(error))
    .onDisconnect(() => {
      opened.reject(new Error('the server ended the connection before it was ready'));
      outstanding.settleAll(lost);
      ended.resolve();
    })
    .build();
  const abort = (): void => opened.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await opened.promise;
  } catch (cause) {
    connection.disconnect();
    throw new Error(`spacetimedb: no connection to ${database} at ${url}: ${reasonOf(cause)}`, { cause });
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return {
    get usable() {
      return connection.isActive;
    },
    execute(transfer) {
      const { amount } = transfer;
      if (amount > amountMax || amount < amountMin) {
        return Promise.resolve(refused('invalid-request', `spacetimedb: ${amount} is beyond 64 bits`));
      }
      return outstanding.call((settle) => {
        connection.reducers.transfer(transfer).then(
          () => settle(applied),
          (error: unknown) => settle(outcomeOfRejection(error)),
        );
      });
    },
    async end() {
      outstanding.settleAll(lost);
      connection.disconnect();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closeTimeoutMs);
      await Promise.race([ended.promise, late.promise]);
      clearTimeout(timer);
    },
  };
}

/**
 * What a call that the SDK rejected means: the module's own error changed nothing; whatever else the server
 * says leaves open what became of the transaction.
 */
function outcomeOfRejection(error: unknown): Outcome {
  if (!(error instanceof SenderError)) {
    return inDoubt('server-error', `spacetimedb: ${reasonOf(error)}`);
  }
  return (
    declinedByText.get(error.message) ??
    refused('server-error', `spacetimedb: the module said ${error.message}`)
  );
}
