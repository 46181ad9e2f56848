import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, afterEach, beforeEach, expect, test } from 'vitest';
import { createSupervisor } from '../src/supervisor.ts';
import { describeStorage } from '@fair-bench/contract';
import { fileSystemOf, mountOf, storageOf } from '../src/file-system.ts';

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
let disk: string;

beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
});

afterEach(async () => {
  await rm(disk, { recursive: true });
});

test('finds the innermost mount, the last of several at one place, and unescapes its path', () => {
  const mountinfo = [
    '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '23 22 0:5 / /data rw shared:1 - tmpfs tmpfs rw',
    String.raw`24 23 8:1 / /data/my\040disk rw master:2 - xfs /dev/sdb rw`,
    '25 22 8:2 / /data rw - btrfs /dev/sdc rw',
  ].join('\n');
  expect(mountOf('/data/my disk/x', mountinfo)).toEqual({
    type: 'xfs',
    device: '/dev/sdb',
    mountPoint: '/data/my disk',
  });
  expect(mountOf('/data/other', mountinfo)?.type).toBe('btrfs');
  expect(mountOf('/database', mountinfo)?.type).toBe('ext4');
});

test('a log that a link leads into memory lies in memory, though its data lie on a disk', async (context) => {
  await requireMemory(context);
  const memory = await mkdtemp('/dev/shm/fair-bench-test-');
  try {
    await symlink(memory, join(disk, 'log'));
    await symlink(join(memory, 'data-wal'), join(disk, 'data-wal'));
    await writeFile(join(memory, 'data-wal'), '');
    const { type } = await fileSystemOf(disk);
    const found = await storageOf(disk, [
      { holds: 'log', path: join(disk, 'log') },
      { holds: 'wal', path: join(disk, 'data-wal') },
      // Not there yet: it will be in its folder.
      { holds: 'next', path: join(disk, 'next-wal') },
      { holds: 'none', path: join(disk, 'no', 'such', 'place') },
    ]);
    expect(describeStorage(found)).toBe(
      `${type}, log on tmpfs, wal on tmpfs, next on ${type}, none on unknown`,
    );
    expect(found.parts?.map(({ directory }) => directory)).toEqual([memory, memory, null, null]);
  } finally {
    await rm(memory, { recursive: true });
  }
});

test('skips memory and takes the next candidate', async (context) => {
  await requireMemory(context);
  const supervisor = createSupervisor({
    logDirectory: disk,
    candidates: ['/no/such/place', '/dev/shm', disk],
  });
  try {
    expect(dirname(await supervisor.directory('data'))).toBe(disk);
  } finally {
    await supervisor.stopAll();
  }
});

test('refuses a data root in memory, and says how to name another', async (context) => {
  await requireMemory(context);
  const supervisor = createSupervisor({ logDirectory: disk, dataRoot: '/dev/shm' });
  try {
    await expect(supervisor.directory('data')).rejects.toThrow(
      /^data: .*\/dev\/shm: tmpfs is memory.*TMPDIR/,
    );
  } finally {
    await supervisor.stopAll();
  }
});

test('skips a place that the owner cannot enter, and gives the directory to the owner', async (context) => {
  if (!isRoot) context.skip('only root can give a directory to another user');
  const closed = join(disk, 'closed');
  const open = join(disk, 'open');
  await chmod(disk, 0o755);
  await mkdir(closed, { mode: 0o700 });
  await mkdir(open, { mode: 0o755 });
  const supervisor = createSupervisor({ logDirectory: disk, candidates: [closed, open] });
  try {
    const directory = await supervisor.directory('data', nobody);
    expect(dirname(directory)).toBe(open);
    const { uid, gid, mode } = await stat(directory);
    expect({ uid, gid, mode: mode & 0o777 }).toEqual({ ...nobody, mode: 0o700 });
    const stuck = createSupervisor({ logDirectory: disk, dataRoot: closed });
    await expect(stuck.directory('data', nobody)).rejects.toThrow(`user 65534 cannot enter ${closed}`);
    await stuck.stopAll();
  } finally {
    await supervisor.stopAll();
  }
});

async function requireMemory(context: TestContext): Promise<void> {
  const type = existsSync('/dev/shm') ? (await fileSystemOf('/dev/shm')).type : 'not there';
  if (type !== 'tmpfs') context.skip(`needs /dev/shm to be tmpfs; here it is ${type}`);
}
