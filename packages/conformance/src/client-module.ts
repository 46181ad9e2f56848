import { pathToFileURL } from 'node:url';
import type { ClientModule, ConnectSession, Transfer } from '@fair-bench/contract';
import { transferSessions } from './transfer-target.ts';

/**
 * Imports a client module as the load client does and gives its way to open a transfer session. The error
 * says what its default export has to be.
 */
export async function importTransferClient(modulePath: string): Promise<ConnectSession<Transfer>> {
  const imported: unknown = await import(pathToFileURL(modulePath).href);
  const client: unknown = isRecord(imported) ? imported['default'] : undefined;
  if (isClientModule(client)) return transferSessions(client);
  if (!isTransferClient(client)) {
    throw new Error(
      `${modulePath}: the default export is no client module: export default defineClient({ connect })`,
    );
  }
  return client.sessions.transfer;
}

function isClientModule(value: unknown): value is ClientModule {
  return isRecord(value) && typeof value['connect'] === 'function';
}

interface TransferClient {
  readonly sessions: { readonly transfer: ConnectSession<Transfer> };
}

function isTransferClient(value: unknown): value is TransferClient {
  return (
    isRecord(value) && isRecord(value['sessions']) && typeof value['sessions']['transfer'] === 'function'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
