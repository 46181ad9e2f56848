import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { type Facts, hasCode, type UserIds } from '@fair-bench/contract';

type StoragePart = NonNullable<Facts['storage']['parts']>[number];

interface FileSystem {
  /** `ext4`, `tmpfs`, …; `unknown` where the system does not report it. */
  readonly type: string;
  /** The block device or source, as mounted. */
  readonly device: string | null;
  readonly mountPoint: string;
}

/** What may lie elsewhere than its database's directory, and the path by which the database reaches it. */
export interface StoredPart {
  readonly holds: string;
  readonly path: string;
}

/**
 * The file systems of a database's directory and of its parts, for its facts; unknown when the directory is null or not on
 * this machine, as for a server behind a forwarded port, and for a part that this user may not see. Links are followed.
 */
export async function storageOf(
  directory: string | null,
  parts: readonly StoredPart[] = [],
): Promise<Facts['storage']> {
  if (directory === null || !existsSync(directory)) return { directory: null, fileSystem: 'unknown' };
  const own = await fileSystemOf(directory);
  const storage = { directory, fileSystem: own.type };
  if (parts.length === 0) return storage;
  return { ...storage, parts: await Promise.all(parts.map(async (part) => await partOf(part, own))) };
}

async function partOf({ holds, path }: StoredPart, data: FileSystem): Promise<StoragePart> {
  const folder = await folderOf(path).catch(() => null);
  if (folder === null) return { holds, directory: null, fileSystem: 'unknown' };
  const { type, mountPoint } = await fileSystemOf(folder);
  return { holds, directory: mountPoint === data.mountPoint ? null : folder, fileSystem: type };
}

/** The folder that a path leads to, or that of its file; of a path where nothing is yet, the folder that it will be in. */
async function folderOf(path: string): Promise<string> {
  try {
    const place = await realpath(path);
    return (await stat(place)).isDirectory() ? place : dirname(place);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return await realpath(dirname(path));
    throw error;
  }
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
