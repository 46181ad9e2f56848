import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Facts, UserIds } from '@fair-bench/contract';

export interface FileSystem {
  /** `ext4`, `tmpfs`, …; `unknown` where the system does not report it. */
  readonly type: string;
  /** The block device or source, as mounted. */
  readonly device: string | null;
  readonly mountPoint: string;
}

/**
 * The file system of a database's directory, for its facts; unknown when the directory is null or not on this
 * machine, as for a server behind a forwarded port.
 */
export async function storageOf(directory: string | null): Promise<Facts['storage']> {
  if (directory === null || !existsSync(directory)) return { directory: null, fileSystem: 'unknown' };
  return { directory, fileSystem: (await fileSystemOf(directory)).type };
}

/** The file system of an existing path: from /proc/self/mountinfo on Linux, from df elsewhere. */
export async function fileSystemOf(path: string): Promise<FileSystem> {
  const resolved = await realpath(path);
  if (process.platform === 'linux') {
    const found = mountOf(resolved, await readFile('/proc/self/mountinfo', 'utf8'));
    return found ?? { type: 'unknown', device: null, mountPoint: '/' };
  }
  const { stdout } = await promisify(execFile)('df', ['-P', resolved], { timeout: 5_000 });
  const fields = (stdout.trim().split('\n')[1] ?? '').split(/\s+/);
  return { type: 'unknown', device: fields[0] ?? null, mountPoint: fields.slice(5).join(' ') || '/' };
}

/**
 * The mount of a resolved path, from the text of a mountinfo file (proc_pid_mountinfo(5)): the longest matching mount
 * point, and among equal ones the last, which hides the others.
 */
export function mountOf(path: string, mountinfo: string): FileSystem | null {
  let found: FileSystem | null = null;
  for (const line of mountinfo.split('\n')) {
    const fields = line.split(' ');
    const separator = fields.indexOf('-');
    const [mountPoint, type, device] = [fields[4], fields[separator + 1], fields[separator + 2]];
    if (separator < 0 || mountPoint === undefined || type === undefined) continue;
    const candidate = { type, device: device ?? null, mountPoint: unescape(mountPoint) };
    if (!isWithin(path, candidate.mountPoint)) continue;
    if (found === null || candidate.mountPoint.length >= found.mountPoint.length) found = candidate;
  }
  return found;
}

/** The first of a path and its parents that an ordinary user cannot enter, or null. */
export async function canTraverse(
  path: string,
  user: UserIds,
): Promise<{ readonly blockedAt: string | null }> {
  if (user.uid === 0) return { blockedAt: null };
  const folders: string[] = [];
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of folders) {
    if (!maySearch(await stat(folder), user)) return { blockedAt: folder };
  }
  return { blockedAt: null };
}

function maySearch(folder: { mode: number; uid: number; gid: number }, user: UserIds): boolean {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}

function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
