import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, isInstalled, nameSchema, typedCommand } from '@fair-bench/contract';
import { z } from 'zod';
import { writeTemplates } from '../new-connector/write-templates.ts';
import { existsSync } from 'node:fs';

const templates = fileURLToPath(new URL('templates', import.meta.url));
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

/** What bindings import of us where the package is installed. */
const publicNames: Readonly<Record<string, string>> = {
  workload: 'workload',
  'rpc-server-sqlite-drizzle/binding': 'sqlite',
};

/**
 * Writes a working workload, `workloads/<name>` or `<at>/<name>`, or `bench/<name>` where the package is installed: a description
 * with PostgreSQL and SQLite bindings. Outside a clone its own `node_modules` links to what bindings import. Resolves with the
 * next steps. InputErrors, with nothing written: an invalid name, a folder that exists.
 */
export async function createWorkload(root: string, name: string, at: string | undefined): Promise<string> {
  if (!nameSchema.safeParse(name).success) {
    throw new InputError(`NAME: got "${name}"; accepts lower-case words joined by "-", such as checkout`);
  }
  const home = join(root, 'workloads');
  const parent = at === undefined ? (isInstalled ? resolve('bench') : home) : resolve(at);
  const directory = join(parent, name);
  const isOutside = parent !== home;
  if (isOutside && existsSync(join(home, name))) {
    throw new InputError(
      `NAME: got "${name}"; accepts a name that no workload of the repository has; choose another`,
    );
  }
  if (existsSync(directory)) {
    throw new InputError(
      `NAME: got "${name}"; accepts a name that is free: ${directory} exists; choose another name or folder, or remove it`,
    );
  }
  const workload = isOutside ? relative(process.cwd(), directory) : name;
  await writeTemplates(templates, directory, { NAME: name, WORKLOAD: workload }, (text) =>
    isInstalled
      ? Object.entries(publicNames).reduce(
          (all, [ours, theirs]) => all.replace(`'@fair-bench/${ours}'`, `'fair-bench/${theirs}'`),
          text,
        )
      : text,
  );
  if (isOutside) {
    // The kit only tests workloads of the repository.
    await rm(join(directory, 'test'), { recursive: true, force: true });
    if (!isInstalled) await linkPackages(home, directory);
  }
  return [
    `wrote ${directory}`,
    'next: change workload.ts and the bindings; docs/your-own-transaction.md shows a real one',
    ...(isOutside ? [] : [`  npm run test:only -- workloads/${name}`]),
    `  ${typedCommand('fair-bench', ['--workload', workload, '--systems', 'postgres-driver,sqlite-drizzle'])}`,
  ].join('\n');
}

/** Links, because Node refuses TypeScript inside node_modules. */
async function linkPackages(home: string, directory: string): Promise<void> {
  const manifest: unknown = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(manifestSchema.parse(manifest).dependencies)) {
    const path = join(directory, 'node_modules', dependency);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(home, 'node_modules', dependency), path);
  }
}
