import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { runProgram } from './run-program.ts';

const timeoutMs = 30_000;
/** Of `st_blocks`, whatever the file system. */
const blockBytes = 512;

/** The files of a directory, in bytes, and how much of them is in the page cache; null where nothing here can tell. */
export interface CachedFiles {
  readonly filesBytes: number;
  readonly residentBytes: number | null;
}

/**
 * Writes a directory's files to disk and takes them out of the page cache, by GNU dd's `nocache`, which calls
 * posix_fadvise(2) with POSIX_FADV_DONTNEED. What a process has mapped stays. Rejects where dd cannot.
 */
export async function dropPageCache(directory: string, signal: AbortSignal): Promise<CachedFiles> {
  const { paths, bytes: filesBytes } = await writtenToDisk(directory);
  const dd = await findProgram({ system: 'dd', names: ['dd'] });
  if (dd === null) throw new Error('the page cache cannot be emptied: there is no dd; install coreutils');
  for (const path of paths) {
    await runProgram({
      command: dd,
      arguments: [`if=${path}`, 'iflag=nocache', 'count=0'],
      timeoutMs,
      signal,
    });
  }
  return { filesBytes, residentBytes: await residentBytesOf(paths, signal) };
}

/** Writes a directory's files to disk; gives them, and the room that they take there. */
export async function writtenToDisk(
  directory: string,
): Promise<{ readonly paths: readonly string[]; readonly bytes: number }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths: string[] = [];
  let bytes = 0;
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name);
    const file = await open(path, 'r+').catch(() => null);
    // The engine has removed it meanwhile.
    if (file === null) continue;
    await file.datasync();
    bytes += (await file.stat()).blocks * blockBytes;
    await file.close();
    paths.push(path);
  }
  return { paths, bytes };
}

async function residentBytesOf(paths: readonly string[], signal: AbortSignal): Promise<number | null> {
  const fincore = await findProgram({ system: 'fincore', names: ['fincore'] });
  if (fincore === null) return null;
  if (paths.length === 0) return 0;
  const words = ['--bytes', '--noheadings', '--output', 'RES', ...paths];
  const listed = await runProgram({ command: fincore, arguments: words, timeoutMs, signal }).catch(
    () => null,
  );
  return listed?.split('\n').reduce((sum, line) => sum + Number(line.trim()), 0) ?? null;
}
