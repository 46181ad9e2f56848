import type { SqlConnection } from '@fair-bench/sql';
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
 * Connections of the control plane that are kept for the next use: opening one takes longer than most
 * uses. Each use has a connection to itself; one that failed or is left inside a transaction is not kept.
 */
export class ControlConnections {
  readonly #config: ClientConfig;
  /** What each begins with. */
  readonly #begin: string | null;
  readonly #closed = new AbortController();
  #idle: OpenConnection[] = [];

  /**
   * Seeding and audit may take longer than a role permits its statements; a time is UTC's, whatever the column's type. Behind a pooler that gives a connection to others
   * between transactions, a setting of a session would be theirs too.
   */
  constructor(config: ClientConfig, pooling: 'none' | 'transaction') {
    this.#config = config;
    this.#begin =
      pooling === 'transaction'
        ? null
        : `SET lock_timeout = ${lockTimeoutMs}; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET TIME ZONE 'UTC'`;
  }

  /** Rejects when `signal` aborts. */
  async use<Result>(signal: AbortSignal, act: (client: Client) => Promise<Result>): Promise<Result> {
    await using connection = await this.acquire(signal);
    try {
      return await act(connection.client);
    } catch (error) {
      destroy(connection.client);
      signal.throwIfAborted();
      throw error;
    }
  }

  /** The same for rows that are read one after the other; if the reader stops early, the connection is not kept. */
  async *stream<Item>(
    signal: AbortSignal,
    read: (client: Client) => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    await using connection = await this.acquire(signal);
    let isWhole = false;
    try {
      yield* read(connection.client);
      isWhole = true;
    } finally {
      if (!isWhole) destroy(connection.client);
      signal.throwIfAborted();
    }
  }

  /** A connection until its scope ends: one that was kept, or a new one. It ends at once when `signal` aborts. */
  async acquire(signal: AbortSignal): Promise<OpenConnection> {
    signal.throwIfAborted();
    const alive = this.#idle.filter(({ client }) => client.connection.stream.writable);
    const connection = alive.pop();
    this.#idle = alive;
    const { client, [Symbol.asyncDispose]: end } = connection ?? (await this.#open(signal));
    const unbind = destroyOnAbort(client, signal);
    return {
      client,
      [Symbol.asyncDispose]: async () => {
        const isKept = this.#idle.length < idleMax && (await hasReported(client));
        unbind();
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
    const unbind = destroyOnAbort(connection.client, signal);
    try {
      if (this.#begin !== null) await connection.client.query(this.#begin);
      return connection;
    } catch (error) {
      destroy(connection.client);
      await connection[Symbol.asyncDispose]();
      signal.throwIfAborted();
      throw error;
    } finally {
      unbind();
    }
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
  const unbind = destroyOnAbort(client, signal);
  const unbindConnecting = destroyOnAbort(client, connecting);
  try {
    await client.connect();
  } catch (error) {
    unbind();
    destroy(client);
    for (const one of [signal, connecting]) one.throwIfAborted();
    throw error;
  } finally {
    unbindConnecting();
  }
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      unbind();
    },
  };
}

/** Destroys the connection when `signal` aborts, until the returned function is called. */
function destroyOnAbort(client: Client, signal: AbortSignal): () => void {
  const abort = (): void => destroy(client, signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

function destroy(client: Client, cause?: unknown): void {
  client.connection.stream.destroy(new Error('aborted', { cause }));
}

/** Every value as the server writes it: the workload defines the types. */
const asText = { getTypeParser: () => (text: string) => text };

/** A client as the tables use it. */
export function sqlOf(client: Client): SqlConnection {
  return {
    async query(text, parameters) {
      const values = [...parameters];
      return (await client.query<string[]>({ text, values, rowMode: 'array', types: asText })).rows;
    },
    end: async () => await client.end(),
  };
}
