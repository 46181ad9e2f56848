import { Client, type ClientConfig } from 'pg';

const connectTimeoutMs = 5_000;

/**
 * The connection options of a timed session. Facts are read by sessions with the same options, so that a URL's own
 * `options` apply to both. `pipeline` sends statements without waiting for replies; the load client's depth is the
 * bound.
 */
export function timedSessionConfig(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    pipeline: true,
  };
}

/** Opens a connection, passes it to `use`, and always ends it. Rejects when `signal` aborts. */
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

/** A connection that ends when its holder leaves its scope, and at once when the signal aborts. */
export interface OpenConnection extends AsyncDisposable {
  readonly client: Client;
}

/** Opens a connection of the control plane. */
export async function openConnection(config: ClientConfig, signal: AbortSignal): Promise<OpenConnection> {
  signal.throwIfAborted();
  const client = new Client({ connectionTimeoutMillis: connectTimeoutMs, ...config });
  // A lost connection fails what is outstanding or, if idle, the next query.
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
