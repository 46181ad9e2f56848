import { messageOf } from '@fair-bench/contract';
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programFolders, programVariable, programVariableName } from './env.ts';

interface ProgramSearch {
  /** The system, as in the manifest: its variable is `FAIR_BENCH_<SYSTEM>_BIN`. */
  readonly system: string;
  /** Names of the program, the preferred one first. */
  readonly names: readonly string[];
  /** Another program of the system: its folder is searched first. */
  readonly beside?: string;
  /** The program itself, if the user names it. */
  readonly path?: string | null;
  /** Whether a program of that name is the system's; any is unless given. */
  readonly isOwn?: (path: string) => Promise<boolean>;
}

const versionTimeoutMs = 10_000;

/**
 * The path of a system's program: from `FAIR_BENCH_<SYSTEM>_BIN` (the program or its folder), otherwise the first one
 * on PATH, in the folders of servers (`/usr/sbin` and similar) and in `~/.cache/fair-bench/bin`; null if there is
 * none. Rejects when the variable names something else.
 */
export async function findProgram({
  system,
  names,
  beside,
  path = null,
  isOwn = () => Promise.resolve(true),
}: ProgramSearch): Promise<string | null> {
  if (path !== null) {
    if (await isExecutable(path)) return path;
    throw new Error(`${system}: program=${path} is not a program; correct the path`);
  }
  const named = programVariable(system);
  if (beside !== undefined) return await firstIn([dirname(beside), ...programFolders()], names);
  if (named === null) return await firstIn(programFolders(), names, isOwn);
  const found = (await isFolder(named)) ? await firstIn([named], names) : named;
  if (found !== null && (await isExecutable(found))) return found;
  throw new Error(
    `${system}: ${programVariableName(system)}=${named} is neither a program nor a folder with ${names.join(' or ')}; ` +
      'correct the variable, or unset it',
  );
}

/** A program that was found, and whose version could not be read. */
export class UnreadVersion extends Error {
  override readonly name = 'UnreadVersion';
}

/**
 * The version that `<path> --version` prints: the first text like `7.0.15` after a space, `v`, `=` or `:`. Rejects with an
 * UnreadVersion when the program fails or prints none.
 */
export async function programVersion(path: string): Promise<string> {
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(path, ['--version'], { timeout: versionTimeoutMs }));
  } catch (cause) {
    throw new UnreadVersion(`${path} --version failed: ${messageOf(cause)}`, { cause });
  }
  const [, version] = /(?:^|[\sv=:])(\d+\.\d+(?:\.\d+)?[^\s;,)]*)/.exec(output) ?? [];
  if (version === undefined) {
    const printed = JSON.stringify(output.trim().slice(0, 200));
    throw new UnreadVersion(
      `${path} --version printed ${printed}, in which no version was found: a text like 7.0.15 after a space, "v", "=" or ":"`,
    );
  }
  return version;
}

async function firstIn(
  folders: readonly string[],
  names: readonly string[],
  isOwn: (path: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<string | null> {
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if ((await isExecutable(path)) && (await isOwn(path))) return path;
    }
  }
  return null;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // If the path is wrong, the search for a program there reports it.
    return false;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Missing, or not a program: the search continues.
    return false;
  }
}
