import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operationsModule } from './functions/endpoint.ts';
import type { Workload } from './functions/shape.ts';

export { rowsPerLoad, rowsPerPage } from './functions/limits.ts';

const functionsDirectory = fileURLToPath(new URL('functions/', import.meta.url));
const dependencies = fileURLToPath(new URL('../node_modules', import.meta.url));

/** Convex's command line, which bundles the functions and pushes them. */
export const convexCommand = join(
  dirname(createRequire(import.meta.url).resolve('convex/package.json')),
  'bin',
  'main.js',
);

/** The functions of every deployment, by their names in Convex. */
export const functionNames = {
  load: 'tables:load',
  clear: 'tables:clear',
  page: 'tables:page',
  find: 'tables:find',
  describe: 'deployment:describe',
  mark: 'deployment:mark',
} as const;

/** The mutation that carries out an operation. */
export function operationFunction(operation: string): string {
  return `${operationsModule}:${operation}`;
}

/** Every module of ours with functions; any other module belongs to someone else. */
export const modulesWithFunctions: readonly string[] = ['tables', 'deployment', 'http', operationsModule];

/**
 * Writes the project for `convex deploy` into an empty folder: a workload's schema and tables, its HTTP actions and
 * its binding's functions.
 */
export async function writeProject(folder: string, workload: Workload, bindingPath: string): Promise<void> {
  const functions = join(folder, 'functions');
  await mkdir(functions);
  const here = (name: string): string => JSON.stringify(join(functionsDirectory, name));
  const files: Readonly<Record<string, string>> = {
    'convex.json': '{ "functions": "functions/" }',
    'package.json': '{ "private": true, "type": "module", "dependencies": { "convex": "*" } }',
    'functions/workload.ts': `export const workload = ${JSON.stringify(workload)};`,
    'functions/schema.ts': `import { schemaOf } from ${here('schema.ts')}; import { workload } from './workload.ts'; export default schemaOf(workload);`,
    'functions/tables.ts': `import { tableFunctions } from ${here('tables.ts')}; import { workload } from './workload.ts'; export const { load, clear, page, find } = tableFunctions(workload);`,
    'functions/http.ts': `import { routerOf } from ${here('http.ts')}; import { workload } from './workload.ts'; export default routerOf(workload);`,
    'functions/deployment.ts': `export * from ${here('deployment.ts')};`,
    [`functions/${operationsModule}.ts`]: `export * from ${JSON.stringify(bindingPath)};`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), `${text}\n`);
  await symlink(dependencies, join(folder, 'node_modules'), 'junction');
}
