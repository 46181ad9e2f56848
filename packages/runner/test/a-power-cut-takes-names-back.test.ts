import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageOf } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import { ForgetfulDisk } from '../src/faults/forgetful-disk.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const committer = fileURLToPath(new URL('fixtures/commits-by-journal.mjs', import.meta.url));
const commits = 5;
const buildMsMax = 20 * 60_000;

let folder: string;
let lack: string | null = null;
let arrangement: Parameters<typeof ForgetfulDisk.mount>[0];
let supervisor: ReturnType<typeof createSupervisor>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-cut-'));
  supervisor = createSupervisor({ logDirectory: folder });
  arrangement = {
    root,
    directory: async (name) => await supervisor.directory(name),
    signal: AbortSignal.timeout(buildMsMax),
    onProgress: () => undefined,
  };
  await ForgetfulDisk.mount(arrangement).then(
    async (disk) => await disk[Symbol.asyncDispose](),
    (error: unknown) => (lack = messageOf(error)),
  );
}, buildMsMax);
afterAll(async () => {
  await supervisor.stopAll();
  await rm(folder, { recursive: true, force: true });
});

/** The rows that are there after a kill, or a power cut, right after the last of five commits was acknowledged. */
async function rowsAfter(fault: 'kill' | 'power cut', synchronous: 'FULL' | 'EXTRA'): Promise<number> {
  await using disk = await ForgetfulDisk.mount(arrangement);
  const path = join(disk.directory, 'database');
  const child = spawn(process.execPath, [committer, path, synchronous, String(commits)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) if (Number(line) === commits) break;
  child.kill('SIGKILL');
  await once(child, 'exit');
  if (fault === 'power cut') await disk.cut();
  using database = new DatabaseSync(path);
  return database.prepare('SELECT id FROM t').all().length;
}

test('a kernel that lives keeps what was written: a kill takes no commit', async ({ skip }) => {
  if (lack !== null) skip(lack);
  expect(await rowsAfter('kill', 'FULL')).toBe(commits);
});

// With a rollback journal the journal's removal is the commit. FULL flushes every file and not the directory: the documented
// difference from EXTRA (https://www.sqlite.org/pragma.html#pragma_synchronous).
test('what flushes data and not the directory loses its last commit by a power cut alone', async ({
  skip,
}) => {
  if (lack !== null) skip(lack);
  expect(await rowsAfter('power cut', 'FULL')).toBe(commits - 1);
});

test('what flushes the directory too loses nothing', async ({ skip }) => {
  if (lack !== null) skip(lack);
  expect(await rowsAfter('power cut', 'EXTRA')).toBe(commits);
});

test('nothing stays mounted', async ({ skip }) => {
  if (lack !== null) skip(lack);
  const disk = await ForgetfulDisk.mount(arrangement);
  expect(readFileSync('/proc/self/mounts', 'utf8')).toContain(disk.directory);
  await disk[Symbol.asyncDispose]();
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(disk.directory);
});
