import { pathToFileURL } from 'node:url';
import type { ConnectSession, Transfer } from '@fair-bench/contract';

/**
 * Imports a client module as the load client does and gives its way to open a transfer session. The error
 * says what its default export has to be.
 */
export async function importTransferClient(modulePath: string): Promise<ConnectSession<Transfer>> {
  const imported: unknown = await import(pathToFileURL(modulePath).href);
  const client: unknown = isRecord(imported) ? imported['default'] : undefined;
  if (!isTransferClient(client)) {
    throw new Error(
      `${modulePath}: the default export opens no transfer sessions: export default defineClient({ sessions: { transfer: connect } })`,
    );
  }
  return client.sessions.transfer;
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
