import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite';
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import type { ExtractTablesWithRelations } from 'drizzle-orm/relations';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';

type NoSchema = Record<string, never>;
export type NodeSqliteDatabase = BaseSQLiteDatabase<'sync', StatementResultingChanges, NoSchema>;

/**
 * Drizzle over `node:sqlite`. Drizzle 0.45 has no driver for it, but its synchronous session for better-sqlite3 needs
 * only a few members of its client, which `DatabaseSync` can provide: the SQL, the session and the result mapping are
 * Drizzle's own. Integers are bigints.
 */
export function drizzleNodeSqlite(database: DatabaseSync): NodeSqliteDatabase {
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<NoSchema, ExtractTablesWithRelations<NoSchema>>(
    clientOver(database),
    dialect,
    undefined,
  );
  return new BaseSQLiteDatabase('sync', dialect, session, undefined);
}

/** The members of better-sqlite3's `Database` that Drizzle's session uses. */
function clientOver(database: DatabaseSync) {
  const commit = prepare(database, 'COMMIT');
  const begin = {
    deferred: prepare(database, 'BEGIN DEFERRED'),
    immediate: prepare(database, 'BEGIN IMMEDIATE'),
    exclusive: prepare(database, 'BEGIN EXCLUSIVE'),
  };
  /** Of an operation within the transaction of its batch. */
  const inner = {
    begin: prepare(database, 'SAVEPOINT operation'),
    commit: prepare(database, 'RELEASE operation'),
    undo: 'ROLLBACK TO operation; RELEASE operation',
  };
  return {
    prepare: (sql: string) => new Statement(database, sql),
    transaction<Transaction, Result>(body: (transaction: Transaction) => Result) {
      const beginning = (beginStatement: StatementSync) => (transaction: Transaction) => {
        const isInner = database.isTransaction;
        (isInner ? inner.begin : beginStatement).run();
        try {
          const result = body(transaction);
          (isInner ? inner.commit : commit).run();
          return result;
        } catch (error) {
          // A failed COMMIT may have rolled back by itself.
          if (database.isTransaction) database.exec(isInner ? inner.undo : 'ROLLBACK');
          throw error;
        }
      };
      return {
        deferred: beginning(begin.deferred),
        immediate: beginning(begin.immediate),
        exclusive: beginning(begin.exclusive),
      };
    },
  };
}

/** A statement that returns objects and, by `raw()`, arrays; prepared once for each use. */
class Statement {
  readonly #database: DatabaseSync;
  readonly #sql: string;
  readonly #objects: StatementSync;
  #arrays: StatementSync | null = null;

  constructor(database: DatabaseSync, sql: string) {
    this.#database = database;
    this.#sql = sql;
    this.#objects = prepare(database, sql);
  }

  run(...values: SQLInputValue[]) {
    return this.#objects.run(...values);
  }

  get(...values: SQLInputValue[]) {
    return this.#objects.get(...values);
  }

  all(...values: SQLInputValue[]) {
    return this.#objects.all(...values);
  }

  raw(): StatementSync {
    if (this.#arrays === null) {
      this.#arrays = prepare(this.#database, this.#sql);
      this.#arrays.setReturnArrays(true);
    }
    return this.#arrays;
  }
}

/** Every statement returns the last row's number, which may be beyond 2⁵³. */
function prepare(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}
