import { type Durability, type Facts, losesInPowerCut, type TargetOptions } from '@fair-bench/contract';
import type { Database } from './database.ts';
import type { LogStorage } from './log-storage.ts';
import type { SpacetimeServer } from './server.ts';
import type { SessionOptions } from './session.ts';

/** In the order of the SDK's preference. */
const protocols = ['v3.bsatn.spacetimedb', 'v2.bsatn.spacetimedb'];

/** Facts of server, database and a session like the timed ones, read now. */
export async function readFacts(
  server: SpacetimeServer,
  database: Database,
  session: SessionOptions,
  options: TargetOptions,
  signal: AbortSignal,
): Promise<Facts> {
  const [version, moduleHash, storage, protocol] = await Promise.all([
    server.api.version(signal),
    database.moduleHash(signal),
    server.logStorage(database, signal),
    session.transport === 'http' ? null : negotiatedProtocol(session, signal),
  ]);
  const isOnDisk = storage.log === 'disk' && !losesInPowerCut(storage.place);
  return {
    system: { name: 'SpacetimeDB', version },
    provider: server.provider,
    durability: durabilityOf(session.confirmedReads, isOnDisk, storage.log),
    // A database runs one reducer at a time.
    isolation: 'serializable',
    settings: { storage: storage.log, module_hash: moduleHash },
    // The server does not report what a session requested.
    requested: {
      confirmed_reads: String(session.confirmedReads),
      compression: session.compression ?? 'none',
      ...(session.scanning === undefined ? {} : { scanning_reducers: session.scanning.join(',') }),
    },
    durabilityBasis: isOnDisk
      ? { status: 'requested', request: `confirmed_reads=${session.confirmedReads}` }
      : { status: 'read' },
    appServer: null,
    clientCodec: 'stock',
    wireProtocol:
      protocol === null
        ? 'http/1.1 json, one call at a time on each connection'
        : `websocket ${protocol}, pipelined`,
    // One reducer runs at a time, but one flush covers all transactions that wait for it: with confirmed reads, at
    // most the outstanding operations.
    writersMax: options.sessionsMax * options.depthMax,
    storage: storage.place,
  };
}

/** A log in an unknown place does not count as durable. */
function durabilityOf(confirmedReads: boolean, isOnDisk: boolean, storage: LogStorage): Durability {
  if (isOnDisk) return confirmedReads ? 'durable' : 'async';
  return storage === 'unknown' ? 'async' : 'none';
}

/** The subprotocol that the server chooses for a connection that offers the same ones as the SDK. */
async function negotiatedProtocol(
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
