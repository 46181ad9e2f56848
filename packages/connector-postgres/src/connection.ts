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

/** A table is refilled from one connection by another. */
const idleMax = 2;

/**
 * Connections of the control plane that are kept for the next use: opening one takes longer than most of what it is
 * for. Each use has one of its own, and one that failed is not kept.
 */
export class ControlConnections {
  readonly #config: ClientConfig;
  readonly #closed = new AbortController();
  #idle: OpenConnection[] = [];

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** Rejects when `signal` aborts. */
  async use<Result>(signal: AbortSignal, act: (client: Client) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const alive = this.#idle.filter(({ client }) => client.connection.stream.writable);
    const connection = alive.pop() ?? (await openConnection(this.#config, this.#closed.signal));
    this.#idle = alive;
    const { client } = connection;
    const abort = (): void => void client.connection.stream.destroy(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      const result = await act(client);
      if (this.#idle.length < idleMax && (await hasReported(client))) this.#idle.push(connection);
      else await connection[Symbol.asyncDispose]();
      return result;
    } catch (error) {
      abort();
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Ends every connection. */
  close(): void {
    this.#closed.abort();
  }
}

/**
 * A session that ends adds what it did to the statistics, a kept one up to a minute later: in a trial, where it could
 * hide a commit that is missing. Since PostgreSQL 15 it can be told to do so at once.
 */
async function hasReported(client: Client): Promise<boolean> {
  return await client.query('SELECT pg_stat_force_next_flush()').then(
    () => true,
    () => false,
  );
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
