/** What an application server of a `postgres-*` route needs: the timed sessions, their settings and their faults. */
export { stockCalls } from './calls.ts';
export { timedSessionConfig } from './connection.ts';
export { preparedDatabase, stockDatabase } from './pooled.ts';
export { readSqlBinding } from '@fair-bench/sql';
