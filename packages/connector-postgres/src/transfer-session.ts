import { Client, type ClientConfig } from 'pg';
import type { Transfer } from '@fair-bench/contract';
import { reconnectingSession, type Connection, type ReconnectingSession } from '@fair-bench/session';
import { faultOfConnectError } from './error-outcome.ts';
import { type Settings, readSettings } from './settings.ts';
import { createTransferCall } from './transfer-call.ts';

/** A connection with the prepared transfer. */
export interface TransferConnection extends Connection<Transfer> {
  /** The settings in force in this very connection. */
  settings(): Promise<Settings>;
}

export type TransferSession = ReconnectingSession<Transfer, TransferConnection>;

const closeTimeoutMs = 2_000;

/** A session with the prepared transfer. Rejects when the first connection cannot be opened. */
export async function connectTransferSession(
  config: ClientConfig,
  signal: AbortSignal,
): Promise<TransferSession> {
  return await reconnectingSession({
    open: async (bound) => await open(config, bound),
    signal,
    faultOfOpening: faultOfConnectError,
  });
}

async function open(config: ClientConfig, signal: AbortSignal): Promise<TransferConnection> {
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
    const call = await createTransferCall(client);
    return {
      get usable() {
        return !gone && !call.lost();
      },
      execute: (transfer) => call.execute(transfer),
      settings: async () => await readSettings(client),
      async end() {
        gone = true;
        const late = setTimeout(() => stream.destroy(), closeTimeoutMs);
        // A client that ends in good order would wait for the replies.
        if (call.outstanding() > 0) stream.destroy();
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
