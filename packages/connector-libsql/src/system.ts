import { join } from 'node:path';
import type { EmbeddedSql } from '@fair-bench/sql';
import { likeSqlite } from '@fair-bench/sql/embedded/sqlite';

export const system: EmbeddedSql = {
  ...likeSqlite,
  name: 'libsql',
  title: 'libSQL',
  load: async () => await import('libsql'),
  async open(directory, durability) {
    const { openDatabase } = await import('./database.ts');
    return openDatabase(join(directory, 'data.db'), durability);
  },
  faults: {
    codeOf: (error) => (error instanceof Error && 'code' in error ? String(error.code) : null),
    refused: {
      SQLITE_BUSY: 'serialization-failure',
      // A sum beyond 64 bits.
      SQLITE_CONSTRAINT_DATATYPE: 'invalid-request',
    },
    rolledBack: () => true,
    hasNoConnection: true,
  },
};
