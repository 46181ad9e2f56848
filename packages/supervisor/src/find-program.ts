import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { programFolders, programVariable, programVariableName } from './env.ts';

export interface ProgramSearch {
  /** The system, as in the manifest: its variable is `FAIR_BENCH_<SYSTEM>_BIN`. */
  readonly system: string;
  /** Names of the program, the preferred first. */
  readonly names: readonly string[];
  /** Another program of the system: its folder is searched first. */
  readonly beside?: string;
  /** The program itself, where the user names it. */
  readonly path?: string | null;
}

const versionTimeoutMs = 10_000;

/**
 * The path of a system's program: as `FAIR_BENCH_<SYSTEM>_BIN` says (the program, or a folder that has it), else the
 * first on PATH, in the folders of servers (`/usr/sbin` and the like) and in `~/.cache/fair-bench/bin`; null when
 * there is none. Rejects when the variable names something that is neither.
 */
export async function findProgram({
  system,
  names,
  beside,
  path = null,
}: ProgramSearch): Promise<string | null> {
  if (path !== null) {
    if (await isExecutable(path)) return path;
    throw new Error(`${system}: program=${path} is no program; correct the path`);
  }
  const named = programVariable(system);
  if (beside !== undefined) return await firstIn([dirname(beside), ...programFolders()], names);
  if (named === null) return await firstIn(programFolders(), names);
  const found = (await isFolder(named)) ? await firstIn([named], names) : named;
  if (found !== null && (await isExecutable(found))) return found;
  throw new Error(
    `${system}: ${programVariableName(system)}=${named} is neither a program nor a folder with ${names.join(' or ')}; ` +
      'correct the variable, or unset it',
  );
}

/** The version in the first line that `<path> --version` prints. Rejects when it fails or prints none. */
export async function programVersion(path: string): Promise<string> {
  let output: string;
  try {
    ({ stdout: output } = await promisify(execFile)(path, ['--version'], { timeout: versionTimeoutMs }));
  } catch (cause) {
    throw new Error(`${path} --version failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const [, version] = /(?:^|[\sv])(\d+\.\d+(?:\.\d+)?[^\s;,)]*)/.exec(output) ?? [];
  if (version === undefined) throw new Error(`${path} --version printed no version: ${output.slice(0, 200)}`);
  return version;
}

async function firstIn(folders: readonly string[], names: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return null;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whatever is wrong with the path, the search for a program there says so.
    return false;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // It is not there, or not a program: the search goes on.
    return false;
  }
}
