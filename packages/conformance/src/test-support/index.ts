import { fileURLToPath } from 'node:url';

export { startPostgresProxy } from './postgres-proxy.ts';
export { caughtOtherwise, type LiarName, measuredUndisturbed } from './own-rules.ts';

/** A load client that lies as its argument says. */
export const lyingLoadClient = fileURLToPath(
  new URL('../../test/liars/lying-load-client.ts', import.meta.url),
);
