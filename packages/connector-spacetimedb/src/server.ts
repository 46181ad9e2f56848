import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Facts, logPart, type ProvisionContext } from '@fair-bench/contract';
import { type DatabaseServer, type DatabaseSystem, provideServer, storageOf } from '@fair-bench/supervisor';
import type { Database } from './database.ts';
import { httpApi, type HttpApi } from './http-api.ts';
import { logFolderOf, type LogStorage, logMeasured, measuredLogStorage } from './log-storage.ts';

/** Where SpacetimeDB is found, and how it is started. */
export const spacetimedb = {
  name: 'spacetimedb',
  title: 'SpacetimeDB',
  remedy:
    'name a server of 2.0 or later by --url spacetimedb=http://HOST:PORT; or have spacetime or spacetimedb-standalone ' +
    'on PATH, in FAIR_BENCH_SPACETIMEDB_BIN or in ~/.cache/fair-bench/bin; or start one by `POSTGRES_PASSWORD=any docker compose up spacetimedb` ' +
    'and name its URL',
  majorMin: 2,
  version: async (url, signal) => await httpApi(url).version(signal),
  local: {
    // Both accept the same arguments; the first needs no other program.
    programs: ['spacetimedb-standalone', 'spacetime'],
    url: (port) => `http://127.0.0.1:${port}`,
    async launch(_program, { directory, port }) {
      await mkdir(dataDirectoryIn(directory));
      await mkdir(join(directory, 'keys'), { mode: 0o700 });
      return { arguments: serverArguments(directory, port) };
    },
    // The first signal ends it cleanly; its data are deleted.
    stopSignal: 'SIGINT',
  },
} satisfies DatabaseSystem;

/** What kind of place a database's log has, and with which file systems. */
interface LogPlace {
  readonly log: LogStorage;
  readonly place: Facts['storage'];
}

/** A SpacetimeDB server that serves one or more `spacetimedb-*` targets. */
export interface SpacetimeServer extends DatabaseServer {
  readonly api: HttpApi;
  /** The location of a database's log, as far as it is visible from here. */
  logStorage(database: Database, signal: AbortSignal): Promise<LogPlace>;
  /** Resolves when `logStorage` knows a new database. */
  logSeen(database: Database, signal: AbortSignal): Promise<void>;
}

/** The SpacetimeDB of a target: the user's by URL, or one on this machine. */
export async function startServer(context: ProvisionContext): Promise<SpacetimeServer> {
  const server = await provideServer(spacetimedb, context);
  const { directory } = server.storage;
  const api = httpApi(server.url);
  if (directory === null) {
    const logStorage: SpacetimeServer['logStorage'] = async (database, signal) => ({
      log: await measuredLogStorage(database, signal),
      place: server.storage,
    });
    return { ...server, api, logStorage, logSeen: logMeasured };
  }
  return {
    ...server,
    api,
    async logStorage() {
      const folder = await logFolderOf(dataDirectoryIn(directory));
      if (folder === null) return { log: 'memory', place: server.storage };
      return { log: 'disk', place: await storageOf(directory, [{ holds: logPart, path: folder }]) };
    },
    logSeen: () => Promise.resolve(),
  };
}

function dataDirectoryIn(directory: string): string {
  return join(directory, 'data');
}

/** Default settings, except its address and the folders of its data and keys. */
function serverArguments(directory: string, port: number): string[] {
  const keyPath = join(directory, 'keys', 'id_ecdsa');
  const options = {
    '--listen-addr': `127.0.0.1:${port}`,
    '--data-dir': dataDirectoryIn(directory),
    '--jwt-priv-key-path': keyPath,
    '--jwt-pub-key-path': `${keyPath}.pub`,
  };
  return ['start', '--non-interactive', ...Object.entries(options).flat()];
}
