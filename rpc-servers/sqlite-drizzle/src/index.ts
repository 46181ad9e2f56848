import { fileURLToPath } from 'node:url';

export { openDatabase, readSettings, type SqliteServerSettings } from './database.ts';

/** The module that runs this server as a process. */
export const mainPath = fileURLToPath(new URL('./main.ts', import.meta.url));
