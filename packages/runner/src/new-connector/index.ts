import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, contractVersion, nameSchema, routeSchema } from '@fair-bench/contract';

const templates = fileURLToPath(new URL('templates', import.meta.url));
const suffix = '.template';

/**
 * Writes packages/connector-<name>: a package that passes lint and types, and that conformance fails with
 * messages that say what to fill in. Resolves with what to do next. A name that is not
 * `<system>-<route>` and a folder that exists are InputErrors; then nothing is written.
 */
export async function createConnectorPackage(root: string, name: string): Promise<string> {
  const { system, route } = parseName(name);
  const directory = join(root, 'packages', `connector-${name}`);
  if (await exists(directory)) {
    throw new InputError(`NAME: got "${name}"; accepts a name that is free: ${directory} exists already`);
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
    'next: install, so that the lockfile knows it, and let conformance say what to fill in:',
    `  node scripts/run.mjs test:only packages/connector-${name}`,
  ].join('\n');
}

function parseName(name: string): { system: string; route: string } {
  const routes = routeSchema.options;
  const route = routes.find((candidate) => name.endsWith(`-${candidate}`));
  const system = route === undefined ? '' : name.slice(0, -route.length - 1);
  if (route === undefined || !nameSchema.safeParse(system).success) {
    throw new InputError(
      `NAME: got "${name}"; accepts <system>-<route>: lower-case words joined by "-", the last of them ${routes.join(', ')}`,
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
