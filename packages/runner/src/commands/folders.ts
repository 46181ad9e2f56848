import { resultsFolder } from '@fair-bench/results';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { InputError, badOption, messageOf, hasCode } from '@fair-bench/contract';

const runArtifacts = ['plan.json', 'summary.json', 'trials'];

/** A run's name: its start (UTC) and its mode; safe as a file name and sorted by time. */
export function runId(mode: string, now: Date): string {
  return `${now.toISOString().replaceAll(/[:.]/g, '-')}-${mode}`;
}

/**
 * Refuses an unusable results folder: a path through a file, a folder without write permission, or one that already
 * has a run (results are never overwritten or mixed). Creates nothing.
 */
export async function checkResultsDirectory(directory: string): Promise<void> {
  const accepts = 'a folder that can be written and holds no other run';
  const { path, isDirectory } = await nearestExisting(resolve(directory));
  if (!isDirectory) throw badOption('out', directory, `${accepts}; ${path} is a file`);
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw badOption('out', directory, `${accepts}; ${path} cannot be written`, { cause: error });
  }
  if (path !== resolve(directory)) return;
  const taken = (await readdir(path)).find((name) => runArtifacts.includes(name));
  if (taken !== undefined) throw badOption('out', directory, `${accepts}; ${taken} exists already`);
}

/** Creates the results folder and checks that it is writable; removes it if not. */
export async function makeResultsDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  const made: string[] = [];
  try {
    for (const missing of await missingFolders(path)) {
      await mkdir(missing);
      made.push(missing);
    }
    await rm(await mkdtemp(join(path, '.write-check-')), { recursive: true });
  } catch (error) {
    if (made[0] !== undefined) await rm(made[0], { recursive: true, force: true });
    const reason = messageOf(error);
    throw badOption('out', directory, `a folder that can be written and holds no other run; ${reason}`, {
      cause: error,
    });
  }
}

/** Refuses a data directory that does not exist or cannot be written. */
export async function checkDataDirectory(name: string, directory: string): Promise<void> {
  const accepts = 'a folder that exists and can be written';
  try {
    if (!(await stat(directory)).isDirectory()) throw new Error('it is not a folder');
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = messageOf(error);
    throw new InputError(`${name}: got "${directory}"; accepts ${accepts}; ${reason}`, { cause: error });
  }
}

/** A run, named by its folder or by its id within results/. */
export async function findRun(root: string, name: string): Promise<string> {
  for (const directory of [resolve(name), join(resultsFolder(root), name)]) {
    // A run that was killed has no summary.
    for (const file of ['summary.json', 'plan.json']) {
      if ((await stat(join(directory, file)).catch(ignoreMissing)) !== null) return directory;
    }
  }
  throw new InputError(
    `RUN: got "${name}"; accepts a folder with a summary.json, or a run's name in results/`,
  );
}

/**
 * The folders to create for `path`, outermost first. Node's own recursive mkdir loops forever where the kernel says
 * "no such file" for a folder whose parent exists, as below /proc.
 */
async function missingFolders(path: string): Promise<string[]> {
  const existing = await nearestExisting(path);
  const missing: string[] = [];
  for (let at = path; at !== existing.path; at = dirname(at)) missing.unshift(at);
  return missing;
}

async function nearestExisting(path: string): Promise<{ path: string; isDirectory: boolean }> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(ignoreMissing);
    if (found !== null) return { path: at, isDirectory: found.isDirectory() };
  }
}

/** Null for "not there": ENOENT, or ENOTDIR below a file. */
function ignoreMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) {
    return null;
  }
  throw error;
}
