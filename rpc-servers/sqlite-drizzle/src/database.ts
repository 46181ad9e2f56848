import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

export const sqliteServerSettingsSchema = z.strictObject({
  /** The database file. */
  path: z.string().min(1),
  /** `durable`: every commit waits for its fsync. `async`: commits since the last checkpoint may be lost. */
  durability: z.enum(['durable', 'async']).default('durable'),
});
export type SqliteServerSettings = z.infer<typeof sqliteServerSettingsSchema>;

/** Another connection seeds or checkpoints for at most this long. */
const busyMsMax = 10_000;

const synchronousNames: Readonly<Record<string, string>> = { 0: 'off', 1: 'normal', 2: 'full', 3: 'extra' };

/** Opens the connection that writes. */
export function openDatabase(settings: SqliteServerSettings): DatabaseSync {
  const database = new DatabaseSync(settings.path, { timeout: busyMsMax });
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${settings.durability === 'durable' ? 'FULL' : 'NORMAL'}`);
  return database;
}

/** The settings in force on this connection, with SQLite's own names. */
export function readSettings(database: DatabaseSync): Record<string, string> {
  const pragma = (name: string): string => {
    const row = database.prepare(`PRAGMA ${name}`).get();
    return String(Object.values(row ?? {})[0]);
  };
  const synchronous = pragma('synchronous');
  return {
    sqlite_version: String(database.prepare('SELECT sqlite_version() AS version').get()?.['version']),
    journal_mode: pragma('journal_mode'),
    synchronous: synchronousNames[synchronous] ?? synchronous,
    page_size: pragma('page_size'),
    cache_size: pragma('cache_size'),
    locking_mode: pragma('locking_mode'),
    wal_autocheckpoint: pragma('wal_autocheckpoint'),
    read_uncommitted: pragma('read_uncommitted'),
  };
}
