import { Client, type ClientConfig } from 'pg';
import { type Outcome, type Session, type Transfer, refused } from '@fair-bench/contract';
import { faultOfConnectError } from './error-outcome.ts';
import { type Settings, readSettings } from './settings.ts';
import { type TransferCall, createTransferCall } from './transfer-call.ts';

export interface TransferSession extends Session<Transfer> {
  /** The settings in force in this very session. Rejects when there is no connection. */
  settings(): Promise<Settings>;
  /** Ends the connection and opens it anew. Rejects when that fails; then the next call tries again. */
  reopen(): Promise<void>;
}

const closeTimeoutMs = 2_000;

/**
 * A connection with the prepared transfer, that opens itself again when it was lost: by the next call, and
 * without sending again what was outstanding. Rejects when the first connection cannot be had.
 */
export async function connectTransferSession(
  config: ClientConfig,
  signal: AbortSignal,
): Promise<TransferSession> {
  const session = new ReconnectingSession(config);
  await session.connect(signal);
  return session;
}

interface Live {
  readonly client: Client;
  readonly call: TransferCall;
}

class ReconnectingSession implements TransferSession {
  readonly #config: ClientConfig;
  #live: Live | undefined;
  #connecting: Promise<Live> | undefined;
  #closed = false;

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  async connect(signal?: AbortSignal): Promise<Live> {
    return await (this.#connecting ??= this.#open(signal).finally(() => {
      this.#connecting = undefined;
    }));
  }

  execute(transfer: Transfer): Promise<Outcome> {
    const live = this.#live;
    if (live !== undefined && !live.call.lost()) return live.call.execute(transfer);
    this.#live = undefined;
    live?.client.connection.stream.destroy();
    return this.#executeAnew(transfer);
  }

  async settings(): Promise<Settings> {
    const { client } = this.#live ?? (await this.connect());
    return await readSettings(client);
  }

  async reopen(): Promise<void> {
    await this.#end();
    await this.connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    await this.#end();
  }

  async #executeAnew(transfer: Transfer): Promise<Outcome> {
    if (this.#closed) return refused('connection-refused', 'the session is closed');
    try {
      const { call } = await this.connect();
      return await call.execute(transfer);
    } catch (error) {
      return faultOfConnectError(error);
    }
  }

  async #open(signal?: AbortSignal): Promise<Live> {
    signal?.throwIfAborted();
    const client = new Client(this.#config);
    const abort = (): void => void client.connection.stream.destroy(new Error('connecting was aborted'));
    const forget = (): void => {
      if (this.#live?.client === client) this.#live = undefined;
    };
    client.on('error', forget);
    client.on('end', forget);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await client.connect();
      const live = { client, call: await createTransferCall(client) };
      this.#live = live;
      return live;
    } catch (error) {
      client.connection.stream.destroy();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #end(): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    if (live === undefined) return;
    const { stream } = live.client.connection;
    const late = setTimeout(() => stream.destroy(), closeTimeoutMs);
    // A client that ends in good order would wait for the replies.
    if (live.call.outstanding() > 0) stream.destroy();
    await live.client.end();
    clearTimeout(late);
  }
}
