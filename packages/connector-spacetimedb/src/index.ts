import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Availability,
  defineConnector,
  type Deployment,
  type ProvisionContext,
  rowObserver,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { probeServer } from '@fair-bench/supervisor';
import { calledOf, scanningAmong } from './called.ts';
import { createDatabase } from './database.ts';
import { readFacts } from './facts.ts';
import { readCounters } from './metrics.ts';
import { spacetimedb, startServer } from './server.ts';
import { databaseTables } from './tables.ts';

const extraSchema = z.strictObject({
  /** Whether a result waits until its transaction is on disk; by default, as the requested durability. */
  confirmedReads: z.enum(['true', 'false']).optional(),
  /** The compression of the server's messages to the client. */
  compression: z.enum(['none', 'gzip']).default('none'),
  /** How operations are called: by the SDK, or one HTTP request each. */
  transport: z.enum(['websocket', 'http']).default('websocket'),
  /** Whether operations find their rows by an index, or by reading the whole table if the module has such a reducer. */
  reducers: z.enum(['indexed', 'scanning']).default('indexed'),
});

/** SpacetimeDB by its official TypeScript SDK, with no server in between. */
export default defineConnector({
  system: 'spacetimedb',
  fairProfile: [
    {
      setting: 'confirmed_reads',
      accepted: ['true'],
      acceptedAsync: ['false'],
      reason: 'without it the result of a transaction is sent before the log is flushed',
    },
    {
      setting: 'storage',
      accepted: ['disk'],
      reason: 'a server in memory has no log to flush',
    },
  ],
  routes: { sdk: { probe, provision } },
});

async function probe(options: TargetOptions): Promise<Availability> {
  const extra = extraSchema.safeParse(options.extra);
  if (!extra.success) {
    const reason = z.prettifyError(extra.error);
    return {
      available: false,
      reason,
      remedy:
        'give confirmedReads as true or false, compression as none or gzip, reducers as indexed or scanning, transport as websocket or http',
    };
  }
  const { workload } = options;
  const { transport, confirmedReads } = extra.data;
  if (transport === 'http' && (confirmedReads ?? String(options.durability === 'durable')) === 'true') {
    return {
      available: false,
      reason: 'SpacetimeDB does not say whether a call over HTTP is on disk when it answers',
      remedy: 'ask for durability=async beside transport=http',
    };
  }
  if (workload !== null && !existsSync(modulePath(workload))) {
    return {
      available: false,
      reason: `the workload ${workload.shape.name} has no module ${modulePath(workload)}`,
      remedy: 'build it as native/spacetimedb-module/README.md says, or leave this target out',
    };
  }
  return await probeServer(spacetimedb, options);
}

function modulePath({ folder }: TargetWorkload): string {
  return join(folder, 'spacetimedb', 'module.wasm');
}

async function provision(context: ProvisionContext): Promise<Deployment> {
  const { target, options, signal: started } = context;
  const { workload } = options;
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const { shape } = workload;
  const { confirmedReads, compression, transport, reducers } = extraSchema.parse(options.extra);
  const server = await startServer(context);
  const database = await createDatabase(server.api, modulePath(workload), started);
  const tables = databaseTables(database, shape);
  await server.logSeen(database, started);
  const scanning = reducers === 'scanning' ? scanningAmong(shape, await database.reducers(started)) : [];
  if (reducers === 'scanning' && scanning.length === 0) {
    throw new Error(
      `${target}: the module of the workload ${shape.name} has no scanning reducer; leave out reducers=scanning`,
    );
  }
  const called = calledOf(shape, scanning);
  const session = {
    database: database.name,
    confirmedReads:
      confirmedReads === undefined ? options.durability === 'durable' : confirmedReads === 'true',
    ...(compression === 'none' ? {} : { compression }),
    ...(transport === 'http' ? { transport } : {}),
    ...(scanning.length === 0 ? {} : { scanning }),
  };
  return {
    endpoint: { url: server.url, options: session },
    processes: server.processes,
    check: async (signal) => await server.check(signal),
    async prepare(signal) {
      // Answered once the seeding is on disk, so that no trial pays for it.
      await tables.settled(signal);
    },
    facts: async (signal) =>
      await readFacts(server, database, { url: server.url, ...session }, options, signal),
    counters: async (signal) => await readCounters(database, called, signal),
    // The server does not show its peak of outstanding operations.
    inFlight: () => Promise.resolve(null),
    observe: (signal) =>
      Promise.resolve({
        ...rowObserver(tables, signal),
        // Requested by a transaction of its own, whose place among the others is known.
        committedHasReads: true,
        committed: async () => (await readCounters(database, called, signal)).commits ?? 0,
      }),
    tables,
    // If the server is ours, the database is removed with it.
    close: async () => (server.provider === 'url' ? await database.remove() : undefined),
  };
}
