import type { Durability, Facts, TargetOptions } from '@fair-bench/contract';
import type { Database } from './database.ts';
import type { LogStorage } from './log-storage.ts';
import { negotiatedProtocol } from './protocol.ts';
import type { SpacetimeServer } from './server.ts';
import type { SessionOptions } from './session.ts';

const fileSystemsInMemory = ['tmpfs', 'ramfs'];

/** What server, database and a session like the timed ones say of themselves now. */
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
    negotiatedProtocol(session, signal),
  ]);
  const isOnDisk = storage === 'disk' && !fileSystemsInMemory.includes(server.storage.fileSystem);
  return {
    system: { name: 'SpacetimeDB', version },
    provider: server.provider,
    durability: durabilityOf(session.confirmedReads, isOnDisk, storage),
    // One reducer at a time runs in a database.
    isolation: 'serializable',
    settings: {
      confirmed_reads: String(session.confirmedReads),
      compression: session.compression ?? 'none',
      storage,
      module_hash: moduleHash,
    },
    appServer: null,
    wireProtocol: `websocket ${protocol}, pipelined`,
    // One reducer runs at a time, but one flush takes all transactions that wait for it: with confirmed reads
    // these are at most the operations outstanding.
    writersMax: options.sessionsMax * options.depthMax,
    storage: server.storage,
  };
}

/** A log whose place the server does not tell is not taken for durable. */
function durabilityOf(confirmedReads: boolean, isOnDisk: boolean, storage: LogStorage): Durability {
  if (isOnDisk) return confirmedReads ? 'durable' : 'deferred';
  return storage === 'unknown' ? 'deferred' : 'none';
}
