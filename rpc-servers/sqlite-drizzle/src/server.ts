import type { DatabaseSync } from 'node:sqlite';
import { eq, sql } from 'drizzle-orm';
import { applied, declined, inDoubt, refused, type Outcome } from '@fair-bench/contract';
import type { RpcBackend, RpcServerImplementation } from '@fair-bench/rpc/server';
import {
  openDatabase,
  readSettings,
  sqliteServerSettingsSchema,
  type SqliteServerSettings,
} from './database.ts';
import { drizzleNodeSqlite, type NodeSqliteDatabase } from './drizzle-node-sqlite.ts';
import { accounts } from './schema.ts';

/** SQLite in the server's own process, through Drizzle. */
export const sqliteDrizzleServer: RpcServerImplementation<SqliteServerSettings> = {
  name: 'sqlite-drizzle',
  settingsSchema: sqliteServerSettingsSchema,
  openBackend: (settings) => Promise.resolve(new SqliteBackend(settings)),
};

class SqliteBackend implements RpcBackend {
  readonly #settings: SqliteServerSettings;
  #database: DatabaseSync;
  #transfer: (source: number, target: number, amount: bigint) => Outcome;

  constructor(settings: SqliteServerSettings) {
    this.#settings = settings;
    this.#database = openDatabase(settings);
    this.#transfer = transferOver(drizzleNodeSqlite(this.#database));
  }

  transfer(source: number, target: number, amount: bigint): Outcome {
    try {
      return this.#transfer(source, target, amount);
    } catch (error) {
      return faultOf(error);
    }
  }

  settings(): Promise<Record<string, string>> {
    return Promise.resolve(readSettings(this.#database));
  }

  recycle(): Promise<void> {
    this.#database.close();
    this.#database = openDatabase(this.#settings);
    this.#transfer = transferOver(drizzleNodeSqlite(this.#database));
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }
}

/** The transfer as one transaction of four prepared queries. */
function transferOver(db: NodeSqliteDatabase): (source: number, target: number, amount: bigint) => Outcome {
  const id = eq(accounts.id, sql.placeholder('id'));
  const amountOf = sql.placeholder('amount');
  const balanceOf = db.select({ balance: accounts.balance }).from(accounts).where(id).prepare();
  const debit = db
    .update(accounts)
    .set({ balance: sql`${accounts.balance} - ${amountOf}` })
    .where(id)
    .prepare();
  const credit = db
    .update(accounts)
    .set({ balance: sql`${accounts.balance} + ${amountOf}` })
    .where(id)
    .prepare();

  return (source, target, amount) =>
    db.transaction(
      () => {
        const sourceRow = balanceOf.get({ id: source });
        const targetRow = balanceOf.get({ id: target });
        if (sourceRow === undefined || targetRow === undefined) return declined('missing-account');
        if (sourceRow.balance < amount) return declined('insufficient-funds');
        // The synchronous driver executes on `run`; a builder that is only awaited changes nothing.
        debit.run({ id: source, amount });
        credit.run({ id: target, amount });
        return applied;
      },
      // Takes the write lock first: a read lock that is raised later can only fail.
      { behavior: 'immediate' },
    );
}

const busyCode = 5;
const constraintCode = 19;

/** An SQLite error by its code. Another than those named may come from a COMMIT, and then nobody knows. */
function faultOf(error: unknown): Outcome {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) throw error;
  // Extended result codes keep the primary one in their low byte.
  const code = 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode & 0xff : null;
  if (code === null) throw error;
  if (code === busyCode) return refused('serialization-failure', `sqlite-drizzle: ${cause.message}`);
  // The table is STRICT: a sum beyond 64 bits is no integer.
  if (code === constraintCode) return refused('invalid-request', `sqlite-drizzle: ${cause.message}`);
  return inDoubt('server-error', `sqlite-drizzle: ${cause.message}`);
}
