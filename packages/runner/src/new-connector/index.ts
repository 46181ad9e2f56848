import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, contractVersion, nameSchema } from '@fair-bench/contract';

const templates = fileURLToPath(new URL('templates', import.meta.url));
const suffix = '.template';

/**
 * Writes packages/connector-<system>: a package with one route that passes lint and types, and that conformance fails with
 * messages that say what to fill in. Resolves with what to do next. A name that is not
 * `<system>-<route>` and a folder that exists are InputErrors; then nothing is written.
 */
export async function createConnectorPackage(root: string, name: string): Promise<string> {
  const { system, route } = parseName(name);
  const directory = join(root, 'packages', `connector-${system}`);
  if (await exists(directory)) {
    throw new InputError(
      `NAME: got "${name}"; accepts a name that is free, of a system without a connector: ${directory} exists; add the route to its manifest`,
    );
  }
  const values: Readonly<Record<string, string>> = {
    NAME: name,
    SYSTEM: system,
    ROUTE: route,
    CONTRACT: String(contractVersion),
  };
  for (const file of await templateFiles()) {
    const path = join(directory, file.slice(0, -suffix.length));
    const template = await readFile(join(templates, file), 'utf8');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      template.replaceAll(/__([A-Z]+)__/g, (whole, key: string) => values[key] ?? whole),
    );
  }
  return [
    `wrote ${directory}`,
    'next: fill in server.ts, index.ts, deployment.ts and client.ts; CONTRIBUTING.md says how, conformance what is missing:',
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

async function templateFiles(): Promise<string[]> {
  const files = await readdir(templates, { recursive: true });
  return files.filter((file) => file.endsWith(suffix));
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
