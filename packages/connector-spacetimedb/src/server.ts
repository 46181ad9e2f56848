import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facts, ProcessRef, ProvisionContext, SharedService } from '@fair-bench/contract';
import { fileSystemOf } from '@fair-bench/supervisor';
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

const readyTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;

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
    storage: { directory: null, fileSystem: 'unknown' },
    logStorage: measuredLogStorage,
    logSeen: logMeasured,
    async check(signal) {
      await api.version(signal);
    },
    close: () => Promise.resolve(),
  };
}

async function start({ target, supervisor, signal: started }: ProvisionContext): Promise<SpacetimeServer> {
  const binary = await findBinary();
  if (binary === null) throw new Error(`${target}: ${noServer}; ${remedy}`);
  const directory = await supervisor.directory('spacetimedb');
  const dataDirectory = join(directory, 'data');
  const keyPath = join(directory, 'keys', 'id_ecdsa');
  await mkdir(dataDirectory);
  await mkdir(join(directory, 'keys'), { mode: 0o700 });
  const address = `127.0.0.1:${await supervisor.freePort()}`;
  const url = `http://${address}`;
  const api = httpApi(url);
  const server = await supervisor.start({
    name: 'spacetimedb',
    command: binary.path,
    arguments: serverArguments(address, dataDirectory, keyPath),
    workingDirectory: directory,
    // On the first, an orderly stop; what it would save is thrown away.
    stopSignal: 'SIGINT',
    stopTimeoutMs,
    ready: { timeoutMs: readyTimeoutMs, check: async () => await answers(api, started) },
  });
  return {
    url,
    api,
    provider: 'binary',
    processes: [{ role: 'database', pid: server.pid }],
    storage: { directory: dataDirectory, fileSystem: (await fileSystemOf(dataDirectory)).type },
    logStorage: async () => await logStorageOf(dataDirectory),
    logSeen: () => Promise.resolve(),
    async check(signal) {
      if (!server.running()) {
        throw new Error(`${target}: its SpacetimeDB ended with ${await server.ended}; see ${server.logPath}`);
      }
      await api.version(signal);
    },
    async close() {
      await server.stop();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Default settings but for where it listens and where its data and its keys are. */
function serverArguments(address: string, dataDirectory: string, keyPath: string): string[] {
  const options = {
    '--listen-addr': address,
    '--data-dir': dataDirectory,
    '--jwt-priv-key-path': keyPath,
    '--jwt-pub-key-path': `${keyPath}.pub`,
  };
  return ['start', '--non-interactive', ...Object.entries(options).flat()];
}

async function answers(api: HttpApi, signal: AbortSignal): Promise<boolean> {
  try {
    await api.version(signal);
    return true;
  } catch {
    // It does not listen yet; the supervisor bounds how often this is asked.
    return false;
  }
}
