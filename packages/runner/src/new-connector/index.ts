import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, contractVersion, isInstalled, nameSchema } from '@fair-bench/contract';
import type { ConnectorForm } from '../options/command-line.ts';
import { writeTemplates } from './write-templates.ts';
import { existsSync } from 'node:fs';

/** What is left to do, by form. */
const tasks: Readonly<Record<ConnectorForm, (system: string) => string>> = {
  sql: (system) => `fill in system.ts, and write ${system}.sql for a workload`,
  embedded: (system) => `fill in system.ts, and write ${system}.ts for a workload`,
  'key-value': () => 'fill in system.ts; no workload needs a file for it',
  general: () => 'fill in server.ts, index.ts, deployment.ts and client.ts',
};

/**
 * Writes packages/connector-<system>: a package with one route that passes lint and types, and that conformance fails
 * with messages that say what to fill in. Resolves with the next steps. InputErrors, with nothing written: a name
 * that is not `<system>-<route>`, a folder that exists.
 */
export async function createConnectorPackage(
  root: string,
  name: string,
  form: ConnectorForm = 'general',
): Promise<string> {
  if (isInstalled)
    throw new InputError('new-connector: a connector is a package in a clone of Fair Bench; run it there');
  const { system, route } = parseName(name);
  const directory = join(root, 'packages', `connector-${system}`);
  if (existsSync(directory)) {
    throw new InputError(
      `NAME: got "${name}"; accepts a name that is free, of a system without a connector: ${directory} exists; add the route to its manifest`,
    );
  }
  for (const folder of ['templates', form]) {
    await writeTemplates(fileURLToPath(new URL(folder, import.meta.url)), directory, {
      NAME: name,
      SYSTEM: system,
      ROUTE: route,
      CONTRACT: String(contractVersion),
    });
  }
  return [
    `wrote ${directory}`,
    `next: ${tasks[form](system)}; CONTRIBUTING.md says how, conformance what is missing:`,
    `  npm run test:only -- packages/connector-${system}`,
  ].join('\n');
}

function parseName(name: string): { system: string; route: string } {
  const [, system = '', route = ''] = /^(.+)-([^-]+)$/.exec(name) ?? [];
  if (!nameSchema.safeParse(system).success || !nameSchema.safeParse(route).success) {
    throw new InputError(
      `NAME: got "${name}"; accepts <system>-<route>: lower-case words joined by "-", the last of them the route (driver, drizzle, storedproc, sdk, http, …)`,
    );
  }
  return { system, route };
}
