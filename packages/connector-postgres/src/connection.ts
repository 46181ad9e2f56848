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
const lockTimeoutMs = 10_000;

/**
 * Connections of the control plane that are kept for the next use: opening one takes longer than most of what it is
 * for. Each use has one of its own; one that failed or is left inside a transaction is not kept.
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
    await using connection = await this.lend(signal);
    try {
      return await act(connection.client);
    } catch (error) {
      destroy(connection.client);
      signal.throwIfAborted();
      throw error;
    }
  }

  /** The same for what is read one after the other; a connection that is left early is not kept. */
  async *stream<Item>(
    signal: AbortSignal,
    read: (client: Client) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    await using connection = await this.lend(signal);
    let isWhole = false;
    try {
      yield* read(connection.client);
      isWhole = true;
    } finally {
      if (!isWhole) destroy(connection.client);
      signal.throwIfAborted();
    }
  }

  /** A connection for one scope. It ends at once when `signal` aborts. */
  async lend(signal: AbortSignal): Promise<OpenConnection> {
    signal.throwIfAborted();
    const alive = this.#idle.filter(({ client }) => client.connection.stream.writable);
    const connection = alive.pop();
    this.#idle = alive;
    const { client, [Symbol.asyncDispose]: end } = connection ?? (await this.#open(signal));
    const stay = destroyOnAbort(client, signal);
    return {
      client,
      [Symbol.asyncDispose]: async () => {
        const isKept = this.#idle.length < idleMax && (await hasReported(client));
        stay();
        if (isKept) this.#idle.push({ client, [Symbol.asyncDispose]: end });
        else await end();
      },
    };
  }

  /** Ends every connection. */
  close(): void {
    this.#closed.abort();
  }

  async #open(signal: AbortSignal): Promise<OpenConnection> {
    const connection = await openConnection(this.#config, this.#closed.signal, signal);
    await connection.client.query(`SET lock_timeout = ${lockTimeoutMs}`);
    return connection;
  }
}

/**
 * A session that ends adds what it did to the statistics, a kept one up to a minute later: in a trial, where it could
 * hide a commit that is missing. Since PostgreSQL 15 it can be told to do so at once, outside of transactions.
 */
async function hasReported(client: Client): Promise<boolean> {
  if (!client.connection.stream.writable || client.getTransactionStatus() !== 'I') return false;
  return await client.query('SELECT pg_stat_force_next_flush()').then(
    () => true,
    () => false,
  );
}

/** A connection that ends when its holder leaves its scope, and at once when the signal aborts. */
export interface OpenConnection extends AsyncDisposable {
  readonly client: Client;
}

/** Opens a connection of the control plane; `connecting` only aborts the opening. */
export async function openConnection(
  config: ClientConfig,
  signal: AbortSignal,
  connecting = signal,
): Promise<OpenConnection> {
  for (const one of [signal, connecting]) one.throwIfAborted();
  const client = new Client({ connectionTimeoutMillis: connectTimeoutMs, ...config });
  // A lost connection fails what is outstanding or, if idle, the next query.
  client.on('error', () => undefined);
  const stay = destroyOnAbort(client, signal);
  const stayWhileConnecting = destroyOnAbort(client, connecting);
  try {
    await client.connect();
  } catch (error) {
    stay();
    destroy(client);
    for (const one of [signal, connecting]) one.throwIfAborted();
    throw error;
  } finally {
    stayWhileConnecting();
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      stay();
    },
  };
}

/** Until the returned function is called. */
function destroyOnAbort(client: Client, signal: AbortSignal): () => void {
  const abort = (): void => destroy(client);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

function destroy(client: Client): void {
  client.connection.stream.destroy(new Error('aborted'));
}
