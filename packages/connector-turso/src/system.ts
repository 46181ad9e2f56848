import { join } from 'node:path';
import type { EmbeddedSql } from '@fair-bench/sql';
import { likeSqlite } from '@fair-bench/sql/embedded/sqlite';

/** Turso's errors have no codes: some begin with their kind. */
const overflow = /datatype mismatch|cannot store|overflow/i;

export const system: EmbeddedSql = {
  ...likeSqlite,
  name: 'turso',
  title: 'Turso',
  load: async () => await import('@tursodatabase/database'),
  async open(directory, durability) {
    const { openDatabase } = await import('./database.ts');
    return openDatabase(join(directory, 'data.db'), durability);
  },
  faults: {
    codeOf: (error) =>
      error instanceof Error ? (overflow.test(error.message) ? 'overflow' : 'other') : null,
    refused: { overflow: 'invalid-request' },
    rolledBack: () => true,
    hasNoConnection: true,
  },
};
