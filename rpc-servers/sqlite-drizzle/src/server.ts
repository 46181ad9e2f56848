import type { DatabaseSync } from 'node:sqlite';
import {
  type BatchedOperation,
  inDoubt,
  refused,
  type OperationOutcome,
  type Values,
} from '@fair-bench/contract';
import {
  importBinding,
  type BoundOperations,
  type RpcBackend,
  type RpcServerImplementation,
} from '@fair-bench/rpc/server';
import {
  openDatabase,
  readSettings,
  sqliteServerSettingsSchema,
  type SqliteServerSettings,
} from './database.ts';

/** SQLite in the server's own process, by the binding. */
export const sqliteDrizzleServer: RpcServerImplementation<SqliteServerSettings> = {
  name: 'sqlite-drizzle',
  settingsSchema: sqliteServerSettingsSchema,
  async openBackend(settings, { binding, workload }) {
    return new SqliteBackend(settings, await importBinding(binding, workload));
  },
};

class SqliteBackend implements RpcBackend {
  readonly #settings: SqliteServerSettings;
  readonly #bind: (database: DatabaseSync) => BoundOperations;
  #database: DatabaseSync;
  #operations: BoundOperations;

  constructor(settings: SqliteServerSettings, bind: (database: DatabaseSync) => BoundOperations) {
    this.#settings = settings;
    this.#bind = bind;
    this.#database = openDatabase(settings);
    this.#operations = bind(this.#database);
  }

  execute(operation: number, values: Values): OperationOutcome | Promise<OperationOutcome> {
    try {
      return this.#operations(operation, values);
    } catch (error) {
      return faultOf(error);
    }
  }

  /** One transaction; an operation's own is a savepoint in it. */
  executeBatch(operations: readonly BatchedOperation[]): readonly OperationOutcome[] {
    const database = this.#database;
    try {
      database.exec('BEGIN IMMEDIATE');
      const outcomes = operations.map(({ operation, values }) => {
        const outcome = this.#operations(operation, values);
        if (outcome instanceof Promise) {
          throw new Error(`operation ${operation} does not end within the transaction`);
        }
        return outcome;
      });
      database.exec('COMMIT');
      return outcomes;
    } catch (error) {
      // A failed COMMIT may have rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      const fault = faultOf(error);
      return operations.map(() => fault);
    }
  }

  settings(): Promise<Record<string, string>> {
    return Promise.resolve(readSettings(this.#database));
  }

  recycle(): Promise<void> {
    this.#database.close();
    this.#database = openDatabase(this.#settings);
    this.#operations = this.#bind(this.#database);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }
}

const busyCode = 5;
const constraintCode = 19;
/** SQLITE_CONSTRAINT_DATATYPE. */
const datatypeCode = 3091;

/** An SQLite error by its code. Any other code may come from a COMMIT, and leaves a doubt. */
function faultOf(error: unknown): OperationOutcome {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) throw error;
  const code = 'errcode' in cause && typeof cause.errcode === 'number' ? cause.errcode : null;
  if (code === null) throw error;
  const message = `sqlite-drizzle: ${cause.message}`;
  // Tables are STRICT: a sum beyond 64 bits is not an integer.
  if (code === datatypeCode) return refused('invalid-request', message);
  // Extended result codes keep the primary one in their low byte.
  if ((code & 0xff) === busyCode) return refused('serialization-failure', message);
  if ((code & 0xff) === constraintCode) return refused('server-error', message);
  return inDoubt('server-error', message);
}
