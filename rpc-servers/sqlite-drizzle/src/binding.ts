import type { DatabaseSync } from 'node:sqlite';
import type { Binding, Operations } from '@fair-bench/rpc/binding';

export { drizzleNodeSqlite, type NodeSqliteDatabase } from './drizzle-node-sqlite.ts';

/**
 * A workload's operations over SQLite: the default export of `sqlite-<orm>.ts`. `bind` is called once for each
 * connection; integers are to be read as bigints. What it throws becomes a fault by SQLite's error code.
 */
export function bindSqlite(
  { name }: { readonly name: string },
  bind: (database: DatabaseSync) => Operations,
): Binding<DatabaseSync> {
  return { workload: name, bind };
}
