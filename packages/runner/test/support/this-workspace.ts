import { fileURLToPath } from 'node:url';
import { defaultWorkload, loadWorkload } from '../../src/discover/workload.ts';
import { discover } from '../../src/discover/workspace.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** What this repository announces, and its workload. */
export const catalog = await discover(root);
export const workload = await loadWorkload(root, defaultWorkload);

/** What the command line's flags are when none is given. */
export const noFlags = { strict: false, url: [], param: [], set: [] };
