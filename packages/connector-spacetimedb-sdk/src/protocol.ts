import type { SessionOptions } from './session.ts';

/** In the order of the SDK's preference. */
const protocols = ['v3.bsatn.spacetimedb', 'v2.bsatn.spacetimedb'];

/** The subprotocol that the server chooses for a connection that asks as the SDK's sessions do. */
export async function negotiatedProtocol(
  { url, database, confirmedReads }: SessionOptions,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const address = new URL(`v1/database/${database}/subscribe`, url);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.search = `?compression=None&confirmed=${confirmedReads}`;
  const socket = new WebSocket(address, protocols);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const abort = (): void => reject(signal.reason);
  socket.addEventListener('open', () => resolve(socket.protocol));
  socket.addEventListener('error', () => reject(new Error(`spacetimedb: no WebSocket at ${address.href}`)));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.close();
  }
}
