import { Client, type ClientConfig } from 'pg';

const connectTimeoutMs = 5_000;

/**
 * How a session that does timed work connects. Facts are read by sessions of the same making, so that what
 * a URL's own `options` set is in force in both. One statement's replies need not be awaited before the
 * next is sent: `pipeline` leaves the bound to the load client's depth.
 */
export function timedSessionConfig(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    pipeline: true,
  };
}

/** Opens a connection, hands it to `use`, and ends it whatever happens. Rejects when `signal` aborts. */
export async function withClient<Result>(
  config: ClientConfig,
  signal: AbortSignal,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  await using connection = await openConnection(config, signal);
  try {
    return await use(connection.client);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** A connection that is ended when its holder leaves its scope, and at once when the signal aborts. */
export interface OpenConnection extends AsyncDisposable {
  readonly client: Client;
}

/** Opens a connection of the control plane. */
export async function openConnection(config: ClientConfig, signal: AbortSignal): Promise<OpenConnection> {
  signal.throwIfAborted();
  const client = new Client({ connectionTimeoutMillis: connectTimeoutMs, ...config });
  // A connection that is lost fails what is outstanding; lost while idle, it fails the next query.
  client.on('error', () => undefined);
  const abort = (): void => void client.connection.stream.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
  } catch (error) {
    signal.removeEventListener('abort', abort);
    client.connection.stream.destroy();
    signal.throwIfAborted();
    throw error;
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      signal.removeEventListener('abort', abort);
    },
  };
}
