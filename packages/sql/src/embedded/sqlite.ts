import type { TargetOptions } from '@fair-bench/contract';
import { cellRows, type Parameter, type SqlConnection } from '../dialect.ts';
import type { RunText } from '../system.ts';
import type { EmbeddedSql } from './system.ts';

/** A prepared statement of a package whose interface is like better-sqlite3's; its calls may be asynchronous. */
interface Statement {
  readonly reader: boolean;
  raw(isRaw: boolean): unknown;
  safeIntegers(isSafe: boolean): unknown;
  all(...parameters: readonly unknown[]): unknown;
  run(...parameters: readonly unknown[]): unknown;
}

/** A statement with more parameters, such as one of the loading, is used once. */
const keptParametersMax = 32;

/** One connection of such a package; statements are prepared once for each. */
export function sqliteConnection(database: {
  prepare(text: string): Statement | Promise<Statement>;
  close(): unknown;
}): SqlConnection {
  const prepared = new Map<string, Statement>();
  const statementOf = async (text: string, isKept: boolean): Promise<Statement> => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    // Of `$2` alone, SQLite would make the first parameter; `?2` is the second.
    const statement = await database.prepare(text.replaceAll(/\$(\d+)/g, '?$1'));
    if (statement.reader) {
      statement.raw(true);
      statement.safeIntegers(true);
    }
    if (isKept) prepared.set(text, statement);
    return statement;
  };
  return {
    async query(text, parameters) {
      const statement = await statementOf(text, parameters.length <= keptParametersMax);
      const values = parameters.map(valueOf);
      if (statement.reader) return cellRows(await statement.all(...values));
      await statement.run(...values);
      return [];
    },
    end: () => void database.close(),
  };
}

/** A number would be bound as a floating-point one. */
function valueOf(value: Parameter): bigint | string | Uint8Array {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'object' && !(value instanceof Uint8Array))
    throw new Error('a binding passes no lists');
  return value;
}

/** How the file is opened: one log, flushed at each commit, or, where commits need not be durable, at checkpoints. */
export function sqlitePragmas(durability: TargetOptions['durability']): readonly string[] {
  return [
    'PRAGMA journal_mode = WAL',
    `PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'}`,
  ];
}

const names = ['journal_mode', 'synchronous', 'page_size', 'cache_size'];

async function settingsOf(run: RunText): Promise<Readonly<Record<string, string>>> {
  const settings: Record<string, string> = {};
  for (const name of names) {
    // An engine that lacks a pragma answers with an error, or with no row.
    const [row] = await run(`PRAGMA ${name}`).catch(() => []);
    if (row !== undefined) settings[name] = String(row[0]);
  }
  return settings;
}

/** What engines share that keep SQLite's file format: SQL, settings, durability. One connection, so that commits are one after the other. */
export const likeSqlite = {
  family: 'sql',
  connectionsMax: 1,
  writersMax: 1,
  dialect: {
    schema: null,
    truncate: 'DELETE FROM',
    typeOf: ({ kind }) =>
      ({ key: 'INTEGER', int64: 'INTEGER', bool: 'INTEGER', text: 'TEXT', bytes: 'BLOB' })[kind],
    // A sum beyond 64 bits would be stored as a floating-point number.
    tableOptions: () => 'STRICT',
    parameter: (number) => `$${number}`,
  },
  version: 'SELECT sqlite_version()',
  settings: settingsOf,
  // https://www.sqlite.org/pragma.html#pragma_synchronous: in WAL, NORMAL flushes at checkpoints.
  durabilityOf({ synchronous = '', journal_mode: mode }) {
    if (['2', '3'].includes(synchronous)) return 'durable';
    return synchronous === '1' && mode === 'wal' ? 'async' : 'none';
  },
  isolationOf: () => 'serializable',
  fairProfile: [
    {
      setting: 'synchronous',
      accepted: ['2', '3'],
      acceptedAsync: ['1'],
      reason: 'with 0 and 1 the log is not flushed before a commit is acknowledged',
    },
  ],
} as const satisfies Partial<EmbeddedSql>;
