import { Client, type ClientConfig } from 'pg';
import {
  faultOfConnecting,
  reconnectingSession,
  type Connection,
  type ReconnectingSession,
} from '@fair-bench/session';
import { type Prepared, stockCalls } from './calls.ts';
import { faults } from './error-outcome.ts';
import { type Settings, readSettings } from './settings.ts';
import { tunedCalls } from './tuned-calls.ts';

/** A connection with the prepared operations. */
interface PreparedConnection extends Connection {
  /** The settings in force in this connection. */
  settings(): Promise<Settings>;
}

export type PreparedSession = ReconnectingSession<PreparedConnection>;

const closeTimeoutMs = 2_000;

/**
 * A session with the prepared operations. Rejects when the first connection cannot be opened and, with the tuned
 * codec, when the server refuses an operation's statement; node-postgres has it parsed at the first call.
 */
export async function connectPrepared(
  config: ClientConfig,
  prepared: Prepared,
  signal: AbortSignal,
  { retriesMax }: { readonly retriesMax?: number } = {},
): Promise<PreparedSession> {
  return await reconnectingSession<PreparedConnection>({
    open: async (bound) => await open(config, prepared, bound),
    signal,
    ...(retriesMax === undefined ? {} : { retriesMax }),
    faultOfOpening: (error) => faultOfConnecting(faults, error),
  });
}

async function open(
  config: ClientConfig,
  prepared: Prepared,
  signal: AbortSignal,
): Promise<PreparedConnection> {
  const client = new Client(config);
  const { stream } = client.connection;
  const abort = (): void => void stream.destroy(new Error('connecting was aborted'));
  let gone = false;
  const lose = (): void => void (gone = true);
  client.on('error', lose);
  client.on('end', lose);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
    const calls =
      prepared.codec === 'tuned' ? await tunedCalls(client, prepared) : stockCalls(client, prepared);
    return {
      get usable() {
        return !gone && !calls.lost();
      },
      execute: (operation, values) => calls.execute(operation, values),
      ...(calls.executeBatch === undefined ? {} : { executeBatch: calls.executeBatch }),
      settings: async () => await readSettings(client),
      async end() {
        gone = true;
        const late = setTimeout(() => stream.destroy(), closeTimeoutMs);
        // A client that ends cleanly would wait for the replies.
        if (calls.outstanding() > 0) stream.destroy();
        await client.end();
        clearTimeout(late);
      },
    };
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
