import { fileURLToPath } from 'node:url';

export type { TransferOutcome } from './functions/transfer.ts';
export { accountsPerPage, accountsPerSeed } from './functions/limits.ts';

/** The folder that `convex deploy` is run in. */
export const projectDirectory = fileURLToPath(new URL('..', import.meta.url));

/** The functions by the names that Convex gives them. */
export const functionNames = {
  transfer: 'transfer:transfer',
  seed: 'accounts:seed',
  trim: 'accounts:trim',
  page: 'accounts:page',
  describe: 'deployment:describe',
  mark: 'deployment:mark',
} as const;

/** Every module of ours with functions in it: a deployment with others is somebody's. */
export const modulesWithFunctions: readonly string[] = ['accounts', 'deployment', 'http', 'transfer'];
