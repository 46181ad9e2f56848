import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { BalancePage, TransferAccess } from '@fair-bench/contract';
import { createAccountsSql } from '@fair-bench/rpc-server-sqlite-drizzle';

const busyMsMax = 10_000;
const accountsPerTransaction = 200_000;
const accountsPerPage = 50_000;

/** The account ids from `:first` up to, and without, `:end`. */
const seedSql = `
  WITH RECURSIVE ids(id) AS (SELECT :first UNION ALL SELECT id + 1 FROM ids WHERE id + 1 < :end)
  INSERT INTO accounts (id, balance) SELECT id, :balance FROM ids`;

/** Makes the database file with an empty table, so that the server finds one. */
export function createDataset(path: string): void {
  withDatabase(path, (database) => {
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(createAccountsSql);
  });
}

/** The dataset through connections of its own, each opened for the one act. */
export function transferAccess(path: string): TransferAccess {
  return {
    async seed({ accounts, initialBalance }, signal) {
      const database = new DatabaseSync(path, { timeout: busyMsMax });
      try {
        database.exec('DELETE FROM accounts');
        const insert = database.prepare(seedSql);
        for (let first = 0; first < accounts; first += accountsPerTransaction) {
          const end = Math.min(first + accountsPerTransaction, accounts);
          insert.run({ ':first': first, ':end': end, ':balance': initialBalance });
          await yieldToEvents(undefined, { signal });
        }
      } finally {
        database.close();
      }
    },
    async *balances(signal) {
      const database = new DatabaseSync(path, { readOnly: true, timeout: busyMsMax });
      try {
        yield* readPages(database, signal);
      } finally {
        database.close();
      }
    },
  };
}

async function* readPages(database: DatabaseSync, signal: AbortSignal): AsyncGenerator<BalancePage> {
  const select = database.prepare('SELECT id, balance FROM accounts WHERE id >= ? ORDER BY id LIMIT ?');
  select.setReadBigInts(true);
  // One snapshot for all pages.
  database.exec('BEGIN');
  let from = 0;
  let rows = select.all(from, accountsPerPage);
  while (rows.length > 0) {
    const ids = rows.map((row) => Number(row['id']));
    yield { ids, balances: rows.map((row) => bigintOf(row['balance'])) };
    from = (ids.at(-1) ?? 0) + 1;
    await yieldToEvents(undefined, { signal });
    rows = select.all(from, accountsPerPage);
  }
  database.exec('COMMIT');
}

function bigintOf(value: SQLOutputValue | undefined): bigint {
  if (typeof value !== 'bigint')
    throw new Error(`sqlite: a balance is ${String(value)}, which is no integer`);
  return value;
}

/** Moves the whole log into the database file, so that no trial pays for the writes before it. */
export function settle(path: string): void {
  withDatabase(path, (database) => {
    const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (row?.['busy'] !== 0) {
      throw new Error(`sqlite: the log of ${path} is in use and was not checkpointed; end whatever reads it`);
    }
  });
}

function withDatabase(path: string, act: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path, { timeout: busyMsMax });
  try {
    act(database);
  } finally {
    database.close();
  }
}
