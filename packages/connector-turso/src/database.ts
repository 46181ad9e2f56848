import type { TargetOptions } from '@fair-bench/contract';
import type { EmbeddedDatabase } from '@fair-bench/sql';
import { sqliteConnection, sqlitePragmas } from '@fair-bench/sql/embedded/sqlite';
import { connect } from '@tursodatabase/database';

export function openDatabase(path: string, durability: TargetOptions['durability']): EmbeddedDatabase {
  return {
    async connect() {
      const database = await connect(path);
      for (const pragma of sqlitePragmas(durability)) await database.exec(pragma);
      return sqliteConnection(database);
    },
    // Its one connection holds the file.
    close: () => undefined,
  };
}
