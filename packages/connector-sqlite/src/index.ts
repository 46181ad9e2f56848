import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Availability,
  defineConnector,
  type Deployment,
  type Facts,
  type ProvisionContext,
  type TargetOptions,
  logPart,
} from '@fair-bench/contract';
import { type AppServer, rpcWireProtocol, startAppServer } from '@fair-bench/rpc';
import { mainPath, type SqliteServerSettings } from '@fair-bench/rpc-server-sqlite-drizzle';
import { engineRoute } from '@fair-bench/engine/connector';
import { bindingOf, storageOf, withBinding } from '@fair-bench/supervisor';
import { durabilityOf, fairProfile } from './durability.ts';
import { embeddedSqlite } from './embedded.ts';
import { openReader } from './reader.ts';
import { checkpointsOf } from './background.ts';
import { createTables, settle, sqliteTables } from './tables.ts';

const bindingFile = 'sqlite-drizzle.ts';

export default defineConnector({
  system: 'sqlite',
  fairProfile,
  routes: {
    drizzle: { probe: withBinding(bindingFile, probe), provision },
    embedded: engineRoute(embeddedSqlite),
  },
});

function probe(options: TargetOptions): Promise<Availability> {
  if (options.url === undefined) {
    const version = process.versions['sqlite'] ?? null;
    return Promise.resolve({ available: true, provider: 'in-process', version });
  }
  return Promise.resolve({
    available: false,
    reason: 'SQLite runs inside its application server and has no URL',
    remedy: 'leave the URL out: a database file is created for the run',
  });
}

async function provision(context: ProvisionContext): Promise<Deployment> {
  const { options, target, supervisor } = context;
  if (options.url !== undefined) {
    throw new Error(`${target}: SQLite runs inside its application server; leave the URL out`);
  }
  const { shape } = bindingOf(target, options, bindingFile).workload;
  const directory = await supervisor.directory(target);
  const path = join(directory, `${shape.name}.sqlite`);
  const own = await createTables(path, shape.tables, options.setup);
  const tables = sqliteTables(path, shape.tables, own);
  const backend: SqliteServerSettings = { path, durability: options.durability };
  const { endpoint, clientCodec, appServer } = await startAppServer(context, {
    file: bindingFile,
    modulePath: mainPath,
    // SQLite lets one connection write at a time: more processes would only wait for each other.
    processes: 1,
    poolSize: 1,
    backend: { ...backend },
  });
  return {
    ...appServer,
    endpoint,
    prepare: async (signal) => {
      settle(path);
      await appServer.recycle(signal);
    },
    facts: async (signal) => ({
      ...factsOf(await appServer.facts(signal)),
      clientCodec,
      storage: await storageOf(directory, [{ holds: logPart, path: `${path}-wal` }]),
    }),
    observe: (signal) =>
      Promise.resolve({
        ...openReader(path, shape.tables),
        // No server is reached by it.
        ping: null,
        replace: async (table, rows) => await tables.replace(table, rows, signal),
        settings: async () => {
          const { journal_mode = '', synchronous = '' } = (await appServer.facts(signal)).settings;
          return { journal_mode, synchronous };
        },
        // One writer: each commit needs a flush of its own, and they are counted.
        unflushed: null,
        // Rows do not name their transaction.
        lastWriters: null,
        protocols: null,
        pooling: null,
      }),
    tables,
    background: async () => await checkpointsOf(path),
    async close() {
      await appServer.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function factsOf({ appServer, settings }: Awaited<ReturnType<AppServer['facts']>>): Omit<Facts, 'storage'> {
  const { sqlite_version: version = 'unknown', ...pragmas } = settings;
  return {
    system: { name: 'SQLite', version },
    provider: 'in-process',
    durability: durabilityOf(pragmas),
    isolation: pragmas['read_uncommitted'] === '0' ? 'serializable' : 'read-uncommitted',
    settings: pragmas,
    appServer,
    wireProtocol: rpcWireProtocol,
    writersMax: 1,
  };
}
