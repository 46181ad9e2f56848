import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isInLoadClient } from '@fair-bench/contract';
import { lackOfCargo } from '@fair-bench/native-client';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DiskWatch } from '../src/measure/disk-watch.ts';
import { measureStorage } from '../src/probes/storage.ts';
import { startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

/** The first build compiles the engine. */
const runMsMax = 20 * 60_000;
const mib = 2 ** 20;
const root = fileURLToPath(new URL('../../..', import.meta.url));
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-files-'));
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

const ycsb = ['fair-bench', '--workload', 'ycsb', '--param', 'mix=a', '--param', 'records=5000'];
const short = ['--sessions', '1', '--depth', '1', '--duration', '1s', '--warmup', '0.5s', '--trials', '1'];
/** Records of 5,000 × (4 + 10 × 100 + 8) bytes. */
const dataBytes = 5_000 * 1_012;

test(
  'trials of engines in the load client say what was written and kept, before and after compaction; those of servers do not',
  {
    timeout: runMsMax,
  },
  async () => {
    const systems = 'lmdb-embedded,leveldb,sqlite-embedded,sqlite-drizzle';
    const { out, output } = await measured(scratch, (to) =>
      startCommand([...ycsb, ...short, '--systems', systems, '--verbose', '--out', to]),
    );
    expect(await seenIn(out), output).toBe(4);
    expect(output).toContain('write ×');
  },
);

test('so do those of an engine in the native load client', { timeout: runMsMax }, async ({ skip }) => {
  const lack = await lackOfCargo({ root, signal: AbortSignal.timeout(30_000) });
  if (lack !== null) skip(lack.reason);
  // Its settings are read from the engine: nothing is killed before the rounds.
  const words = ['--systems', 'lmdb-heed', '--client', 'native'];
  const { out, output } = await measured(scratch, (to) =>
    startCommand([...ycsb, ...short, ...words, '--out', to]),
  );
  expect(await seenIn(out), output).toBe(1);
});

/** How many trials passed, each with what its engine can say. */
async function seenIn(out: string): Promise<number> {
  const trials = (await readArtifacts(out)).trials.filter(isPassed);
  for (const { cellId, engineFiles, factsAfter } of trials) {
    expect(engineFiles !== undefined, cellId).toBe(isInLoadClient(factsAfter));
    if (engineFiles === undefined) continue;
    const { windowDataBytes, filesBytes, compaction, windowWrittenBytes } = engineFiles;
    expect(engineFiles.dataBytes, cellId).toBe(dataBytes);
    expect(windowDataBytes, cellId).toBeGreaterThan(0);
    // A durable commit writes a page or a record at least.
    expect(windowWrittenBytes ?? Infinity, cellId).toBeGreaterThan(windowDataBytes ?? 0);
    // LevelDB compresses, and texts are of few characters.
    expect(filesBytes, cellId).toBeGreaterThan(dataBytes / 4);
    expect(compaction, cellId).toMatchObject({ status: 'done' });
    const after = compaction.status === 'done' ? compaction.filesBytes : 0;
    expect(after, cellId).toBeGreaterThan(dataBytes / 4);
    expect(after, cellId).toBeLessThanOrEqual(filesBytes * 1.05);
  }
  return trials.length;
}
