import { fileURLToPath } from 'node:url';
import { defaultWorkload, loadWorkload } from '../../src/discover/workload.ts';
import { discover } from '../../src/discover/workspace.ts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The connectors and workloads of this repository. */
export const catalog = await discover(root);
export const workload = await loadWorkload(root, defaultWorkload);

/** The flags' default values. */
export const noFlags = { strict: false, url: [], param: [], set: [] };
