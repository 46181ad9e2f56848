/** What an application server of a `postgres-*` route needs: the timed sessions, their settings and their faults. */
export { ClientPool } from './client-pool.ts';
export { clientCodecSchema } from './calls.ts';
export { timedSessionConfig } from './connection.ts';
export { createPreparedPool } from './prepared-pool.ts';
export { stockCalls } from './stock-calls.ts';
export { readSqlBinding } from './statements.ts';
