import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namedBinary, searchFolders } from './env.ts';
import { requireVersion } from './version.ts';

export interface ServerBinary {
  readonly path: string;
  readonly version: string;
}

/** Both take the same arguments; the first needs no other program beside it. */
const programs = ['spacetimedb-standalone', 'spacetime'];
const versionTimeoutMs = 10_000;

/**
 * The server's program on this machine: the one that the environment names, else on PATH, else in the cache
 * folder; null when there is none. Rejects when the one that is there does not run or is too old.
 */
export async function findBinary(): Promise<ServerBinary | null> {
  const path = namedBinary() ?? (await firstExecutable());
  if (path === null) return null;
  const version = await versionOf(path);
  requireVersion(version, path);
  return { path, version };
}

async function firstExecutable(): Promise<string | null> {
  for (const folder of searchFolders()) {
    for (const program of programs) {
      const path = join(folder, program);
      if (await isExecutable(path)) return path;
    }
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // It is not there, or not a program: the search goes on.
    return false;
  }
}

async function versionOf(path: string): Promise<string> {
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(path, ['--version'], { timeout: versionTimeoutMs }));
  } catch (cause) {
    throw new Error(`${path} --version failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const [, version] = /(?:^|\s)(\d+\.\d+\.\d+\S*?)(?:[;\s]|$)/.exec(output) ?? [];
  if (version === undefined) throw new Error(`${path} --version told no version: ${output.slice(0, 200)}`);
  return version;
}
