import { fileURLToPath } from 'node:url';

export { lackFor, nullServer } from './server.ts';
export type { NullServerSettings } from './settings.ts';

/** The module that runs this server as a process. */
export const mainPath = fileURLToPath(new URL('./main.ts', import.meta.url));
