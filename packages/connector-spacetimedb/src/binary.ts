import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namedBinary, searchFolders } from './env.ts';

export const noServer = 'no SpacetimeDB server was found on this machine';

/** The ways to get one. */
export const remedy =
  'name a server of 2.0 or later by --url spacetimedb=http://HOST:PORT; or have spacetime or spacetimedb-standalone ' +
  'on PATH, in FAIR_BENCH_SPACETIMEDB_BIN or in ~/.cache/fair-bench/bin; or start one by `POSTGRES_PASSWORD=any docker compose up spacetimedb` ' +
  'and name its URL';

export interface ServerBinary {
  readonly path: string;
  readonly version: string;
}

/** Both take the same arguments; the first needs no other program beside it. */
const programs = ['spacetimedb-standalone', 'spacetime'];
const versionTimeoutMs = 10_000;
const majorMin = 2;

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

/** Throws, with the version that was found and the one that is needed, when `version` is older than 2.0. */
export function requireVersion(version: string, where: string): void {
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new Error(`SpacetimeDB ${version} at ${where} is too old; ${majorMin}.0 or later is needed`);
}
