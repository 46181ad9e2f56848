/** What an application server of a `postgres-*` route needs: the timed sessions, their settings and their faults. */
export { timedSessionConfig } from './connection.ts';
export { faultOfConnectError, faultOfError } from './error-outcome.ts';
export { parseSettings, settingsQuery } from './settings.ts';
export { createPreparedPool } from './prepared-pool.ts';
export { readSqlBinding } from './statements.ts';
