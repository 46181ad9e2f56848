import { fileURLToPath } from 'node:url';

export { postgresDrizzleServer, type PostgresDrizzleSettings } from './server.ts';

/** The module that runs this server as a process. */
export const mainPath = fileURLToPath(new URL('./main.ts', import.meta.url));
