import {
  type Availability,
  type Connector,
  type ControlPlane,
  messageOf,
  type Row,
  tableAt,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { openScoped } from '@fair-bench/session';
import { driverConnector, type DriverKind, type OpenScoped } from '@fair-bench/supervisor';
import { workloadWithDefaults } from '@fair-bench/workload/execution';
import { Programs } from './program.ts';
import type { StoredTable } from './stored-rows.ts';
import type { KeyValueConnection, KeyValueSystem } from './system.ts';

const closeMsMax = 10_000;
const keysPerRead = 1_000;
const rowsPerPut = 1_000;

/**
 * A connector of one route, straight by the system's driver. There are no bindings: a workload's description becomes
 * programs, which the server's own script carries out.
 */
export function keyValueConnector(system: KeyValueSystem, route: string): Connector {
  return driverConnector(system, route, {
    open: async (url, signal) => await openScoped(async () => await system.connect(url), signal),
    version: async (connection) => (await connection.settings())['version'] ?? 'unknown',
    async settings(connection) {
      const { version: _, ...settings } = await connection.settings();
      return settings;
    },
    probe: (server) => async (options) => lackingProgram(options) ?? (await server(options)),
    install: installerOf(system),
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

function programsOf({ description }: TargetWorkload): Programs {
  return new Programs(workloadWithDefaults(description, 'the workload'));
}

function installerOf(system: KeyValueSystem): DriverKind<KeyValueConnection>['install'] {
  return async (context, server, open) => {
    const { workload, sessionsMax, depthMax } = context.options;
    if (workload === null) throw new Error(`${context.target}: no workload is chosen; name one`);
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
      options: { description: workload.description },
      // Programs run one by one, and all that are outstanding may wait for one flush.
      writersMax: sessionsMax * depthMax,
      prepare: () => Promise.resolve(),
      async counters(signal) {
        await using connection = await open(signal);
        return connection.executed === null ? {} : { transactions: await connection.executed() };
      },
      read: async (connection, table, keys) => await readRows(connection, storedAt(stored, table), keys),
      replace: async (connection, table, rows) =>
        await connection.put(rows.map((row) => storedAt(stored, table).stored(row))),
      committed: ({ executed }) => Promise.resolve({ committed: executed, committedHasReads: true }),
      tables,
    };
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
  open: OpenScoped<KeyValueConnection>,
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
    async replace(number, rows, signal) {
      await using connection = await open(signal);
      await connection.put(rows.map((row) => storedAt(stored, number).stored(row)));
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
