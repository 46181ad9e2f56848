/** What an application server of a `postgres-*` route needs: the timed sessions, their settings and their faults. */
export { ClientPool } from './client-pool.ts';
export { stockCalls } from './calls.ts';
export { timedSessionConfig } from './connection.ts';
export { PreparedPool } from './prepared-pool.ts';
export { readSqlBinding } from '@fair-bench/sql';
