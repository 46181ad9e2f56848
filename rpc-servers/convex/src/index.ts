import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export { type TransferOutcome } from './functions/transfer.ts';
export { accountsPerPage, accountsPerSeed } from './functions/limits.ts';

/** The folder that `convex deploy` is run in. */
export const projectDirectory = fileURLToPath(new URL('..', import.meta.url));

/** Convex's command line, which bundles the functions and pushes them. */
export const convexCommand = join(
  dirname(createRequire(import.meta.url).resolve('convex/package.json')),
  'bin',
  'main.js',
);

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
