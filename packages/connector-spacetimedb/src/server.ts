import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facts, ProcessRef, ProvisionContext, SharedService } from '@fair-bench/contract';
import { startServer as startProcess, storageOf } from '@fair-bench/supervisor';
import { findBinary, noServer, remedy, requireVersion } from './binary.ts';
import type { Database } from './database.ts';
import { httpApi, type HttpApi } from './http-api.ts';
import { type LogStorage, logMeasured, logStorageOf, measuredLogStorage } from './log-storage.ts';

/** A SpacetimeDB server that serves one or more `spacetimedb-*` targets. */
export interface SpacetimeServer extends SharedService {
  readonly url: string;
  readonly provider: 'binary' | 'url';
  readonly api: HttpApi;
  /** The server, when it is ours. */
  readonly processes: readonly ProcessRef[];
  readonly storage: Facts['storage'];
  /** Where it writes a database's log, as far as it can be seen from here. */
  logStorage(database: Database, signal: AbortSignal): Promise<LogStorage>;
  /** Resolves when `logStorage` can tell of a new database. */
  logSeen(database: Database, signal: AbortSignal): Promise<void>;
}

/**
 * The SpacetimeDB of a target, started once for all that may share it: the user's by URL, or one on this machine.
 * Rejects with target, fact and remedy.
 */
export async function startServer(context: ProvisionContext): Promise<SpacetimeServer> {
  const { url } = context.options;
  return await context.shared(`spacetimedb ${url ?? 'binary'}`, async () =>
    url === undefined ? await start(context) : await reach(context, url),
  );
}

async function reach({ target, signal: started }: ProvisionContext, url: string): Promise<SpacetimeServer> {
  const api = httpApi(url);
  try {
    requireVersion(await api.version(started), url);
  } catch (cause) {
    throw new Error(`${target}: ${cause instanceof Error ? cause.message : String(cause)}; ${remedy}`, {
      cause,
    });
  }
  return {
    url,
    api,
    provider: 'url',
    processes: [],
    storage: await storageOf(null),
    logStorage: measuredLogStorage,
    logSeen: logMeasured,
    async check(signal) {
      await api.version(signal);
    },
    close: () => Promise.resolve(),
  };
}

async function start(context: ProvisionContext): Promise<SpacetimeServer> {
  const binary = await findBinary();
  if (binary === null) throw new Error(`${context.target}: ${noServer}; ${remedy}`);
  const urlAt = (port: number): string => `http://127.0.0.1:${port}`;
  const server = await startProcess(context, {
    name: 'spacetimedb',
    title: 'SpacetimeDB',
    async launch({ directory, port }) {
      await mkdir(join(directory, 'data'));
      await mkdir(join(directory, 'keys'), { mode: 0o700 });
      return { command: binary.path, arguments: serverArguments(directory, port) };
    },
    answers: async ({ port }, signal) => await httpApi(urlAt(port)).version(signal),
    // On the first, an orderly stop; what it would save is thrown away.
    stopSignal: 'SIGINT',
  });
  const { directory, port } = server.place;
  return {
    url: urlAt(port),
    api: httpApi(urlAt(port)),
    provider: 'binary',
    processes: server.processes,
    storage: server.storage,
    logStorage: async () => await logStorageOf(join(directory, 'data')),
    logSeen: () => Promise.resolve(),
    check: async (signal) => await server.check(signal),
    close: async () => await server.close(),
  };
}

/** Default settings but for where it listens and where its data and its keys are. */
function serverArguments(directory: string, port: number): string[] {
  const keyPath = join(directory, 'keys', 'id_ecdsa');
  const options = {
    '--listen-addr': `127.0.0.1:${port}`,
    '--data-dir': join(directory, 'data'),
    '--jwt-priv-key-path': keyPath,
    '--jwt-pub-key-path': `${keyPath}.pub`,
  };
  return ['start', '--non-interactive', ...Object.entries(options).flat()];
}
