import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode, InputError, messageOf } from '@fair-bench/contract';
import type { RunPlan } from '@fair-bench/results';
import { parentOf, startTimeOf } from '@fair-bench/supervisor';
import { z } from 'zod';

/** One file for each run that measures, for all users and clones: TMPDIR may differ between them, /tmp does not. */
const sharedFolder = join(process.platform === 'win32' ? tmpdir() : '/tmp', 'fair-bench-runs');

const entrySchema = z.object({ command: z.string(), root: z.string(), since: z.iso.datetime() });

interface HostRequest {
  /** The clone that measures. */
  readonly root: string;
  /** As it is typed, without its arguments: a URL may have a password, and every user may read the file. */
  readonly command: string;
  /** Whether to measure although another run does. */
  readonly share: boolean;
}

/** The machine in use by a run, until it is disposed of. */
interface HeldHost extends Disposable {
  /** For the plan: empty unless the machine is shared. */
  readonly planned: Pick<RunPlan, 'sharedHost'>;
}

/**
 * Announces a run that measures, so that two never measure on one machine at the same time without knowing it. Rejects
 * with an InputError that names the other run, unless `share` is set. A killed run leaves a file that counts for nothing,
 * because no process has its id and start time. A command started by a run belongs to it. Two that begin in the same
 * instant may both be refused.
 */
export function holdHost({ root, command, share }: HostRequest, folder = sharedFolder): HeldHost {
  const announced = announce({ command, root, since: new Date().toISOString() }, folder);
  const beside = otherRuns(folder);
  const release = (): void => {
    if (announced !== null) rmSync(announced, { force: true });
  };
  const [first] = beside;
  if (first !== undefined && !share) {
    release();
    throw new InputError(
      `another run measures on this machine: ${beside.join('; ')}. Wait until it ends, end it (kill -INT PID), or ` +
        'measure beside it with --share-host (FAIR_BENCH_SHARE_HOST=1), which disturbs both',
    );
  }
  return { planned: share ? { sharedHost: { beside } } : {}, [Symbol.dispose]: release };
}

/** The file's path; null when this process has announced itself already, or cannot: then others do not see it. */
function announce(entry: z.infer<typeof entrySchema>, folder: string): string | null {
  const path = join(folder, fileOf(process.pid));
  const draft = `${path}.new`;
  try {
    makeFolder(folder);
    if (readdirSync(folder).includes(fileOf(process.pid))) return null;
    // Exclusive, so that no link of another user is followed; renamed, so that nobody reads half of it.
    rmSync(draft, { force: true });
    writeFileSync(draft, JSON.stringify(entry), { flag: 'wx' });
    chmodSync(draft, 0o644);
    renameSync(draft, path);
    return path;
  } catch (error) {
    process.stderr.write(
      `fair-bench: other runs on this machine will not see this one: ${messageOf(error)}\n`,
    );
    return null;
  }
}

/** Every user may add files, and remove only their own, as in /tmp. */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** The runs that measure now, in words, except this one and those that started it. Removes what killed runs left. */
function otherRuns(folder: string): string[] {
  const own = new Set(lineage(process.pid));
  return filesIn(folder).flatMap((file) => {
    const pid = Number(/^(\d+)-.*\.json$/.exec(file)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || own.has(pid)) return [];
    if (file === fileOf(pid)) return [`pid ${pid}${describe(join(folder, file))}`];
    removeIfOurs(join(folder, file));
    return [];
  });
}

/** None where the folder could not be made: `announce` has reported it. */
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return [];
    throw error;
  }
}

function fileOf(pid: number): string {
  return `${pid}-${startTimeOf(pid)?.replaceAll(/\W+/g, '-') ?? 'ended'}.json`;
}

/** Nothing where the file is gone or not readable: the process is there all the same. */
function describe(path: string): string {
  try {
    const { command, root, since } = entrySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return `, ${command} in ${root}, since ${new Date(since).toLocaleString('sv-SE')}`;
  } catch {
    return '';
  }
}

function removeIfOurs(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
  }
}

/** A process, its parent, and so on. */
function lineage(pid: number): readonly number[] {
  const parent = parentOf(pid);
  return parent === null || parent < 1 ? [pid] : [pid, ...lineage(parent)];
}
