import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DiskWatch } from '../src/measure/disk-watch.ts';
import { measureStorage } from '../src/probes/storage.ts';

const mib = 2 ** 20;
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-disk-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

test('what the disk writes in the window is counted, and what it wrote before is not', async ({ skip }) => {
  const probe = await measureStorage(scratch);
  if (probe.written === null) skip('the disk under the temporary directory has no count of what it writes');
  const write = async (name: string, bytes: number): Promise<void> => {
    await using file = await open(join(scratch, name), 'w');
    await file.write(Buffer.alloc(bytes, 1));
    await file.sync();
  };
  const watch = new DiskWatch(probe, []);
  watch.begin(process.pid);
  await write('before', 32 * mib);
  watch.windowBegins();
  const startMs = performance.now();
  await write('in', 8 * mib);
  await sleep(200);
  watch.windowEnds();
  const seen = watch.writtenInWindow(performance.now() - startMs) ?? 0;
  // Others may write to the disk meanwhile.
  expect(seen / mib).toBeGreaterThan(7.5);
  expect(seen / mib).toBeLessThan(24);
});

test('a page that is written again counts as a page, however much of its file the kernel keeps together', async ({
  skip,
}) => {
  const probe = await measureStorage(scratch);
  if (probe.written === null) skip('the disk under the temporary directory has no count of what it writes');
  await using file = await open(join(scratch, 'pages'), 'w');
  for (let part = 0; part < 64; part += 1) await file.write(Buffer.alloc(mib, 1));
  await file.sync();
  const watch = new DiskWatch(probe, []);
  watch.begin(process.pid);
  watch.windowBegins();
  const startMs = performance.now();
  const page = Buffer.alloc(4096, 2);
  const pages = 500;
  for (let turn = 0; turn < pages; turn += 1) {
    await file.write(page, 0, page.length, ((turn * 977) % (64 * 256)) * page.length);
    await file.datasync();
  }
  watch.windowEnds();
  const seen = watch.writtenInWindow(performance.now() - startMs) ?? 0;
  expect(seen / (pages * page.length)).toBeGreaterThan(0.9);
  // Others may write to the disk meanwhile: a hundredth of what whole folios would be.
  expect(seen / mib).toBeLessThan(24);
});

test('a server’s window has no such count', () => {
  const watch = new DiskWatch(null, [{ role: 'database', pid: process.pid }]);
  watch.begin();
  watch.windowBegins();
  watch.windowEnds();
  expect(watch.writtenInWindow(1_000)).toBeNull();
});
