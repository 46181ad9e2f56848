import { fileURLToPath } from 'node:url';
import { workloadOf } from '../../src/commands/prepare-context.ts';
import { discover } from '../../src/discover/workspace.ts';

/** What this repository announces, and its workload. */
export const catalog = await discover(fileURLToPath(new URL('../../../..', import.meta.url)));
export const workload = await workloadOf(catalog);

/** What the command line's flags are when none is given. */
export const noFlags = { strict: false, url: [], scramble: true, set: [] };
