import { bindOperations } from '@fair-bench/rpc/binding';
import type { PoolConnection } from 'mysql2/promise';

export { applies, returnsRows } from '@fair-bench/rpc/binding';
export { ourSchema } from '@fair-bench/contract';

/**
 * A workload's operations over one connection of a pool of mysql2: the default export of `mysql-<orm>.ts`. `bind` is
 * called once for each connection; an error of an operation becomes a fault by the server's number.
 */
export const bindMysql = bindOperations<PoolConnection>;

/** The rows of a statement that an ORM sends as raw SQL, such as INSERT … RETURNING, whose type it does not know. */
export function rawRows([rows]: readonly unknown[]): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(rows) ? rows.filter((row): row is Record<string, unknown> => isRecord(row)) : [];
}

const duplicateKey = 1062;

/** Whether a row was there already; the ORM wraps the driver's error. */
export function isDuplicate(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'errno' in cause && cause.errno === duplicateKey;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
