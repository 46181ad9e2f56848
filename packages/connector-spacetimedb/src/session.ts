import { setGlobalLogLevel } from 'spacetimedb';
import { z } from 'zod';
import {
  type DataPlane,
  type Fault,
  inDoubt,
  refused,
  type WorkloadShape,
  messageOf,
} from '@fair-bench/contract';
import { Outstanding, reconnectingSession, type Connection } from '@fair-bench/session';
import { moduleBindings } from './module-bindings.ts';
import { outcomesOf } from './outcome.ts';

/** What a session needs besides the server's URL. */
export const endpointOptionsSchema = z.strictObject({
  /** The database's name on the server. */
  database: z.string(),
  /** Whether the server delays a result until its transaction is on disk. */
  confirmedReads: z.boolean(),
  /** The compression of the server's messages; absent for none, the only one of the native client. */
  compression: z.enum(['gzip']).optional(),
  /** Calls over HTTP; absent for the SDK's WebSocket. */
  transport: z.enum(['http']).optional(),
  /** The operations executed by their scanning reducer. */
  scanning: z.array(z.string()).optional(),
});
type EndpointOptions = z.infer<typeof endpointOptionsSchema>;

export interface SessionOptions extends EndpointOptions {
  readonly url: string;
}

const closeTimeoutMs = 2_000;
const lost: Fault = Object.freeze(
  inDoubt('connection-lost', 'spacetimedb: the connection ended before the reply'),
);

// The SDK writes progress to standard output, which is the load client's protocol.
setGlobalLogLevel('error');

/** A session of the official SDK. Nothing is subscribed to. Rejects when the first connection cannot be opened. */
export async function connectSession(
  options: SessionOptions,
  workload: WorkloadShape,
  signal: AbortSignal,
): Promise<DataPlane> {
  return await reconnectingSession({ open: async (bound) => await open(options, workload, bound), signal });
}

async function open(
  options: SessionOptions,
  workload: WorkloadShape,
  signal: AbortSignal,
): Promise<Connection> {
  const { url, database, confirmedReads, compression = 'none' } = options;
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // The SDK leaves calls unsettled when their connection ends.
  const outstanding = new Outstanding();
  const { builder, calls } = moduleBindings(workload);
  const outcomes = calls.map(outcomesOf);
  const connection = builder()
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
    throw new Error(`spacetimedb: no connection to ${database} at ${url}: ${messageOf(cause)}`, { cause });
  } finally {
    signal.removeEventListener('abort', abort);
  }
  return {
    get usable() {
      return connection.isActive;
    },
    execute(operation, values) {
      const call = calls[operation];
      const outcome = outcomes[operation];
      if (call === undefined || outcome === undefined) {
        return Promise.resolve(refused('invalid-request', `spacetimedb: no operation ${operation}`));
      }
      return outstanding.call((settle) => {
        let reply: Promise<unknown>;
        try {
          reply = call.send(connection, values);
        } catch (error) {
          settle(refused('invalid-request', `spacetimedb: ${messageOf(error)}`));
          return;
        }
        reply.then(
          (value) => settle(outcome.returned(value)),
          (error: unknown) => settle(outcome.rejected(error)),
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
