import type { TargetOptions } from '@fair-bench/contract';
import type { EmbeddedDatabase } from '@fair-bench/sql';
import { sqliteConnection, sqlitePragmas } from '@fair-bench/sql/embedded/sqlite';
import Database from 'libsql';

export function openDatabase(path: string, durability: TargetOptions['durability']): EmbeddedDatabase {
  return {
    connect() {
      const database = new Database(path);
      for (const pragma of sqlitePragmas(durability)) database.exec(pragma);
      return Promise.resolve(sqliteConnection(database));
    },
    // Its one connection holds the file.
    close: () => undefined,
  };
}
