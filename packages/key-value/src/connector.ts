import {
  type Availability,
  type Connector,
  type ControlPlane,
  defineConnector,
  type Deployment,
  type Facts,
  messageOf,
  type ProvisionContext,
  type Row,
  tableAt,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { openScoped } from '@fair-bench/session';
import { type DatabaseServer, type DatabaseSystem, probeServer, provideServer } from '@fair-bench/supervisor';
import { defaultParameters, parseDescription, resolveWorkload } from '@fair-bench/workload';
import { Programs } from './program.ts';
import type { StoredTable } from './stored-rows.ts';
import type { KeyValueConnection, KeyValueSystem, Settings } from './system.ts';

const closeMsMax = 10_000;
const keysPerRead = 1_000;
const rowsPerPut = 1_000;
type Open = (signal: AbortSignal) => Promise<KeyValueConnection & AsyncDisposable>;

/**
 * A connector of one route, straight by the system's driver. There are no bindings: a workload's description becomes
 * programs, which the server's own script carries out.
 */
export function keyValueConnector(system: KeyValueSystem, route: string): Connector {
  const database: DatabaseSystem = {
    ...system,
    async version(url, signal) {
      await using connection = await openerOf(system, url)(signal);
      return (await connection.settings())['version'] ?? 'unknown';
    },
  };
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    routes: {
      [route]: {
        probe: async (options: TargetOptions) =>
          lackingProgram(options) ?? (await probeServer(database, options)),
        provision: async (context: ProvisionContext) =>
          await deploymentOf(system, context, await provideServer(database, context)),
      },
    },
  });
}

/** Unavailable where an operation of the workload is no program. */
function lackingProgram({ workload }: TargetOptions): Availability | null {
  if (workload === null) return null;
  try {
    programsOf(workload);
    return null;
  } catch (error) {
    return {
      available: false,
      reason: messageOf(error),
      remedy: 'leave this target out, or name another workload',
    };
  }
}

function programsOf({ description: json }: TargetWorkload): Programs {
  const description = parseDescription(json, 'the workload');
  return new Programs(resolveWorkload(description, defaultParameters(description)));
}

function openerOf(system: KeyValueSystem, url: string): Open {
  return async (signal) => await openScoped(async () => await system.connect(url), signal);
}

async function deploymentOf(
  system: KeyValueSystem,
  context: ProvisionContext,
  server: DatabaseServer,
): Promise<Deployment> {
  const { target, options } = context;
  const { workload } = options;
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const open = openerOf(system, server.url);
  const { tables: stored } = programsOf(workload);
  const tables = tablesOf(system, workload, stored, open);
  await context.shared(`${server.url} ${workload.folder}`, async () => {
    await using connection = await open(context.signal);
    await connection.install();
    return {
      check: async (signal) => await server.check(signal),
      async close() {
        // A server of ours is deleted as a whole; of a user's, only what is ours is removed.
        if (server.provider !== 'url') return;
        const signal = AbortSignal.timeout(closeMsMax);
        for (const number of stored.keys()) await tables.clear(number, signal);
      },
    };
  });
  return {
    endpoint: { url: server.url, options: { description: workload.description } },
    processes: server.processes,
    check: async (signal) => await server.check(signal),
    prepare: () => Promise.resolve(),
    async facts(signal) {
      await using connection = await open(signal);
      return factsOf(system, server, options, await connection.settings());
    },
    async counters(signal) {
      await using connection = await open(signal);
      return connection.executed === null ? {} : { transactions: await connection.executed() };
    },
    inFlight: () => Promise.resolve(null),
    async observe(signal) {
      const connection = await open(signal);
      return {
        read: async (table, keys) => await readRows(connection, storedAt(stored, table), keys),
        committed: connection.executed,
        committedHasReads: true,
        settings: async () => await connection.settings(),
        unflushed: null,
        lastWriters: null,
        close: async () => await connection[Symbol.asyncDispose](),
      };
    },
    tables,
    // The rows and the server end with the last target that uses them.
    close: () => Promise.resolve(),
  };
}

function factsOf(
  system: KeyValueSystem,
  { provider, storage }: DatabaseServer,
  { sessionsMax, depthMax }: TargetOptions,
  { version = 'unknown', ...settings }: Settings,
): Facts {
  return {
    system: { name: system.title, version },
    provider,
    durability: system.durabilityOf(settings),
    isolation: system.isolationOf(settings),
    settings,
    appServer: null,
    wireProtocol: system.wireProtocol,
    // Programs run one by one, and all that are outstanding may wait for one flush.
    writersMax: sessionsMax * depthMax,
    storage,
  };
}

function storedAt(stored: readonly StoredTable[], number: number): StoredTable {
  const table = stored[number];
  if (table === undefined) throw new Error(`the workload has no table ${number}`);
  return table;
}

function tablesOf(
  { name }: KeyValueSystem,
  { shape }: TargetWorkload,
  stored: readonly StoredTable[],
  open: Open,
): ControlPlane {
  const clear = async (number: number, signal: AbortSignal): Promise<void> => {
    tableAt(name, shape.tables, number);
    const { prefix, orderSet } = storedAt(stored, number);
    await using connection = await open(signal);
    for await (const keys of connection.keys(prefix)) if (keys.length > 0) await connection.remove(keys);
    if (orderSet !== null) await connection.remove([orderSet]);
  };
  return {
    async create(tables, signal) {
      for (const number of tables.keys()) await clear(number, signal);
    },
    // The script is there since the start, and needs no binding.
    install: () => Promise.resolve(),
    clear,
    async load(number, pages, signal) {
      const table = storedAt(stored, number);
      await using connection = await open(signal);
      for await (const page of pages) {
        for (let from = 0; from < page.length; from += rowsPerPut) {
          await connection.put(page.slice(from, from + rowsPerPut).map((row) => table.stored(row)));
        }
      }
    },
    async *scan(number, signal) {
      const table = storedAt(stored, number);
      const seen = new Set<string>();
      await using connection = await open(signal);
      for await (const page of connection.keys(table.prefix)) {
        const keys = [...new Set(page)].filter((key) => !seen.has(key));
        for (const key of keys) seen.add(key);
        yield await rowsOf(connection, table, keys);
      }
    },
    async read(number, keys, signal) {
      await using connection = await open(signal);
      return await readRows(connection, storedAt(stored, number), keys);
    },
  };
}

async function readRows(
  connection: KeyValueConnection,
  table: StoredTable,
  keys: readonly Row[],
): Promise<Row[]> {
  return await rowsOf(
    connection,
    table,
    keys.map((key) => table.keyOf(key)),
  );
}

async function rowsOf(
  connection: KeyValueConnection,
  table: StoredTable,
  keys: readonly string[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < keys.length; from += keysPerRead) {
    const page = keys.slice(from, from + keysPerRead);
    const found = await connection.get(page, table.fields);
    for (const [place, fields] of found.entries()) {
      if (fields !== null) rows.push(table.rowOf(page[place] ?? '', fields));
    }
  }
  return rows;
}
