import { TLSSocket } from 'node:tls';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { type Durability, type Isolation, plainText, tlsSetting, ourSchema } from '@fair-bench/contract';
import { markTables } from '@fair-bench/sql';
import { tunedServerSettings } from './tuned-profile.ts';

/** The settings that are read as facts, with PostgreSQL's names. */
const basicNames = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'transaction_isolation',
  'default_transaction_isolation',
  'wal_level',
  'wal_sync_method',
  'wal_compression',
  'commit_delay',
  'commit_siblings',
  'synchronous_standby_names',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
  'max_connections',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'autovacuum',
  'jit',
  'plan_cache_mode',
  'data_checksums',
  'log_transaction_sample_rate',
  'data_directory',
] as const;

/** Those of the tuned profile, and whether huge pages are in use. */
const names = new Set<string>([
  ...basicNames,
  ...tunedServerSettings.map(({ name }) => name),
  'huge_pages_status',
]);

/** Properties of a target's objects in the database, as settings with names of ours. */
const tableSetting = 'fair_bench.tables';
const functionSetting = 'fair_bench.functions';
const tablespacesSetting = 'fair_bench.tablespaces';
/** Tables whose rows are not in the log, or in other tables; a trigger of the server's can make them so, whatever statement created them. */
const unloggedSetting = 'fair_bench.unlogged';

/**
 * Reads the settings in force in the session and transaction that runs it: run it like a timed statement. Rows of
 * `name` and `setting`; a setting that the user may not see has no row.
 */
export const settingsQuery =
  (): string => `SELECT name, current_setting(name) AS setting FROM pg_catalog.pg_settings
WHERE name IN (${[...names].map((name) => `'${name}'`).join(', ')})
UNION ALL SELECT '${tableSetting}',
  coalesce(string_agg(relname || ': ' || CASE amname WHEN 'heap' THEN '' ELSE coalesce(amname, 'no access method') || ', ' END
    || coalesce(array_to_string(reloptions, ', '), 'default'), '; ' ORDER BY relname), 'none')
-- Copies of rows for the next trial are not a table of the workload, nor is the schema's mark.
FROM pg_catalog.pg_class LEFT JOIN pg_catalog.pg_am AS a ON a.oid = relam
WHERE relnamespace = to_regnamespace('${ourSchema()}') AND relkind = 'r' AND relname NOT LIKE 'copy %' AND relname NOT IN (${markTables.map((name) => `'${name}'`).join(', ')})
-- What a partitioned or a foreign table has its rows in is not looked at: nothing here says that it is logged.
UNION ALL SELECT '${unloggedSetting}', coalesce(string_agg(relname, ', ' ORDER BY relname), 'none')
FROM pg_catalog.pg_class WHERE relnamespace = to_regnamespace('${ourSchema()}') AND relkind IN ('r', 'p', 'f')
  AND (relkind <> 'r' OR relpersistence <> 'p') AND relname NOT LIKE 'copy %'
UNION ALL SELECT '${functionSetting}', coalesce(string_agg(DISTINCT lanname, ', '), 'none')
FROM pg_catalog.pg_proc JOIN pg_catalog.pg_language AS l ON l.oid = prolang WHERE pronamespace = to_regnamespace('${ourSchema()}')
UNION ALL SELECT '${tablespacesSetting}',
  coalesce(json_agg(json_build_object('name', spcname, 'path', pg_tablespace_location(oid)) ORDER BY spcname), '[]')::text
FROM pg_catalog.pg_tablespace WHERE pg_tablespace_location(oid) <> ''
ORDER BY name`;

const rowsSchema = z.array(z.object({ name: z.string(), setting: z.string() }));

const tablespacesSchema = z.array(z.object({ name: z.string(), path: z.string() }));
/** A place for tables outside of the data directory. */
export type Tablespace = z.infer<typeof tablespacesSchema>[number];

/** Settings by name, as read live. */
export type Settings = Readonly<Record<string, string>>;

/** Runs `settingsQuery` in this session, in its own transaction. */
export async function readSettings(client: ClientBase): Promise<Settings> {
  const { rows } = await client.query(settingsQuery());
  return {
    ...Object.fromEntries(rowsSchema.parse(rows).map(({ name, setting }) => [name, setting])),
    [tlsSetting]: tlsOf(client),
  };
}

/** At this end: behind a pooler the server would speak of the pooler's connection. */
function tlsOf(client: ClientBase): string {
  const stream = 'connection' in client && isConnection(client.connection) ? client.connection.stream : null;
  return stream instanceof TLSSocket ? (stream.getProtocol() ?? 'TLS') : plainText;
}

function isConnection(value: unknown): value is { readonly stream: unknown } {
  return typeof value === 'object' && value !== null && 'stream' in value;
}

/**
 * The parts of the contract's `Facts` that follow from settings. Throws when a necessary setting is missing or
 * unknown.
 */
export function factsFromSettings(read: Settings) {
  // A path that changes with every run; null when the user may not see it.
  const {
    data_directory: dataDirectory = null,
    [tablespacesSetting]: tablespaces = '[]',
    ...settings
  } = read;
  return {
    // A packager's addition in parentheses is not part of the version.
    system: { name: 'PostgreSQL', version: required(read, 'server_version').split(' ')[0] ?? '' },
    durability: durabilityOf(read),
    isolation: isolationOf(required(read, 'transaction_isolation')),
    settings,
    dataDirectory,
    tablespaces: tablespacesSchema.parse(JSON.parse(tablespaces)),
  };
}

/** Every value of `synchronous_commit` except `off` waits for the local flush; they differ in standbys. A crash empties unlogged tables. */
function durabilityOf(read: Settings): Durability {
  if ((read[unloggedSetting] ?? 'none') !== 'none') return 'none';
  return required(read, 'fsync') === 'on' && required(read, 'synchronous_commit') !== 'off'
    ? 'durable'
    : 'async';
}

function isolationOf(setting: string): Isolation {
  switch (setting) {
    // PostgreSQL accepts read uncommitted, and runs it as read committed.
    case 'read uncommitted':
    case 'read committed':
      return 'read-committed';
    // Its repeatable read is snapshot isolation.
    case 'repeatable read':
      return 'snapshot';
    case 'serializable':
      return 'serializable';
    default:
      throw new Error(`PostgreSQL: transaction_isolation is ${setting}, which is unknown here`);
  }
}

function required(settings: Settings, name: (typeof basicNames)[number]): string {
  const value = settings[name];
  if (value === undefined) throw new Error(`PostgreSQL: its setting ${name} could not be read`);
  return value;
}
