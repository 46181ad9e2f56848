import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Engine, EngineSystem, Entry, OpenOptions, Writes } from '@fair-bench/engine';
import { openDatabase, readSettings } from '@fair-bench/rpc-server-sqlite-drizzle';
import { durabilityOf, fairProfile } from './durability.ts';
import { changeCounterOf } from './reader.ts';
import { settle } from './tables.ts';

/** SQLite in the load client as a store of keys and values: its B-tree, its log and its locks, and hardly any of its SQL. */
export const embeddedSqlite: EngineSystem = {
  name: 'sqlite',
  title: 'SQLite',
  version: () => Promise.resolve(process.versions['sqlite'] ?? 'unknown'),
  open: (directory, options) => Promise.resolve(open(join(directory, 'rows.sqlite'), options)),
  // The default of 2 MB is for small devices.
  cacheMb: 64,
  isShared: true,
  durabilityOf,
  fairProfile,
};

function open(path: string, { durability, cacheMb }: OpenOptions): Engine {
  const database = openDatabase({ path, durability });
  // Negative: in KiB.
  database.exec(`PRAGMA cache_size = ${-cacheMb * 1024}`);
  database.exec(
    'CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID',
  );
  const [begin, read, commit, rollback] = ['BEGIN IMMEDIATE', 'BEGIN', 'COMMIT', 'ROLLBACK'].map((sql) =>
    database.prepare(sql),
  );
  const inside = statementsOf(database);
  const within =
    (beginning: typeof begin) =>
    <Result>(act: (writes: Writes) => Result): Result => {
      beginning?.run();
      try {
        const result = act(inside);
        commit?.run();
        return result;
      } catch (error) {
        if (database.isTransaction) rollback?.run();
        throw error;
      }
    };
  const committed = changeCounterOf(path);
  return {
    ...inside,
    // The lock first: upgrading a reader's later can fail.
    transact: within(begin),
    atOneMoment: within(read),
    settle: () => settle(path),
    compact() {
      database.exec('VACUUM');
      settle(path);
    },
    settings() {
      const { sqlite_version: _, ...pragmas } = readSettings(database);
      return pragmas;
    },
    committed: committed.read,
    close() {
      committed.close();
      database.close();
    },
  };
}

function statementsOf(database: DatabaseSync): Writes {
  const get = database.prepare('SELECT value FROM rows WHERE key = ?');
  const put = database.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM rows WHERE key = ?');
  const [up, down] = ['', 'DESC'].map((order) =>
    database.prepare(`SELECT key, value FROM rows WHERE key >= ? AND key < ? ORDER BY key ${order} LIMIT ?`),
  );
  return {
    get: (key) => bytesIn(get.get(key)?.['value']),
    range({ from, until, reverse, limit }): Entry[] {
      const rows = (reverse ? down : up)?.all(from, until, limit) ?? [];
      return rows.map(({ key, value }): Entry => [bytesIn(key) ?? nothing, bytesIn(value) ?? nothing]);
    },
    put: (key, value) => void put.run(key, value),
    remove: (key) => void remove.run(key),
  };
}

const nothing = new Uint8Array();

function bytesIn(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined;
}
