import { fileURLToPath } from 'node:url';

export { nullServer } from './server.ts';
export { nullAnswerSchema, type NullControlRequest, type NullServerSettings } from './control.ts';

/** The module that runs this server as a process. */
export const mainPath = fileURLToPath(new URL('./main.ts', import.meta.url));
