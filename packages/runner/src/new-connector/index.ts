import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, contractVersion, nameSchema } from '@fair-bench/contract';
import { writeTemplates } from './write-templates.ts';
import { existsSync } from 'node:fs';

/** A system whose operations are SQL statements by its driver, or any other. */
export type ConnectorForm = 'sql' | 'general';

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
  const task =
    form === 'sql'
      ? `fill in system.ts, and write ${system}.sql for a workload`
      : 'fill in server.ts, index.ts, deployment.ts and client.ts';
  return [
    `wrote ${directory}`,
    `next: ${task}; CONTRIBUTING.md says how, conformance what is missing:`,
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
