import { join } from 'node:path';
import type { EmbeddedSql } from '@fair-bench/sql';

/** DuckDB's errors begin with their type: `TransactionContext Error: Conflict on update!` */
const typed = /^(?:Failed to [a-z ]+: )?([A-Z][A-Za-z ]+) Error: /;

export const system: EmbeddedSql = {
  name: 'duckdb',
  family: 'sql',
  title: 'DuckDB',
  load: async () => await import('@duckdb/node-api'),
  async open(directory) {
    const { openDatabase } = await import('./database.ts');
    return await openDatabase(join(directory, 'data.duckdb'));
  },
  // Commits are one after the other, each with a flush of its own.
  writersMax: 1,
  // Whoever meets a changed row fails at once: on few rows ten attempts are not enough.
  retriesMax: 100,
  dialect: {
    schema: null,
    typeOf: ({ kind }) =>
      ({ key: 'BIGINT', int64: 'BIGINT', bool: 'BOOLEAN', text: 'VARCHAR', bytes: 'BLOB' })[kind],
    parameter: (number) => `$${number}`,
  },
  version: 'SELECT version()',
  settings: `SELECT name, value FROM duckdb_settings() WHERE name IN
    ('access_mode', 'checkpoint_threshold', 'debug_skip_checkpoint_on_commit', 'memory_limit', 'threads')`,
  // https://duckdb.org/docs/stable/sql/statements/transactions: a commit is in the log, which is synced, and no setting changes that.
  durabilityOf: ({ access_mode: mode }) => (mode === undefined ? 'none' : 'durable'),
  durabilityBasis: {
    status: 'requested',
    request: 'COMMIT, without a setting that says when it is on disk,',
  },
  // Optimistic: a row that another transaction has changed meanwhile is a conflict; what was only read is not checked.
  isolationOf: () => 'snapshot',
  fairProfile: [
    {
      setting: 'debug_skip_checkpoint_on_commit',
      accepted: ['false'],
      reason: 'the log is merged into the database file as DuckDB ships it',
    },
  ],
  faults: {
    codeOf: (error) => (error instanceof Error ? (typed.exec(error.message)?.[1] ?? null) : null),
    refused: {
      // Only conflicts: the other transaction was first, and this one is rolled back.
      TransactionContext: 'serialization-failure',
      Transaction: 'serialization-failure',
      Constraint: 'server-error',
      'Out of Range': 'invalid-request',
      Conversion: 'invalid-request',
    },
    rolledBack: () => false,
  },
  settle: 'CHECKPOINT',
};
