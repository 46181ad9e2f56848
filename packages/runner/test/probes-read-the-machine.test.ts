import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileSystemOf, readCpuUs, readMemoryBytes } from '@fair-bench/supervisor';
import { WindowUsageReader } from '../src/measure/window-usage.ts';
import { measureStorage } from '../src/probes/storage.ts';
import { present } from '@fair-bench/analysis/test-support';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(import.meta.dirname, 'probes-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

test('the storage probe syncs, counts the device’s flushes and leaves nothing', async ({ skip }) => {
  const probe = await measureStorage(directory);
  expect(probe.fsyncPerSecond).toBeGreaterThan(0);
  expect(await readdir(directory)).toEqual([]);
  const { type, device } = await fileSystemOf(directory);
  if (probe.flushes === null) skip(`${device ?? 'no device'} (${type}) does not count flushes here`);
  const before = probe.flushes?.() ?? 0;
  await measureStorage(directory);
  expect(probe.flushes?.() ?? 0).toBeGreaterThan(before + 10);
});

test('memory is no stable storage: a file system in memory has no flush counter', async ({ skip }) => {
  const { type } = await fileSystemOf('/dev/shm').catch(() => ({ type: 'absent' }));
  if (type !== 'tmpfs') skip(`/dev/shm is ${type} here, not tmpfs`);
  const inMemory = await mkdtemp('/dev/shm/probes-');
  try {
    expect((await measureStorage(inMemory)).flushes).toBeNull();
  } finally {
    await rm(inMemory, { recursive: true, force: true });
  }
});

test('CPU time and memory of a process tree include its children', async ({ skip }) => {
  if (process.platform !== 'linux') skip('process trees are read from /proc, which is Linux');
  const burn =
    'for (;;) { const { user, system } = process.cpuUsage(); if (user + system > 500_000) break; }';
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(burn)}]).on('exit', () => console.log('burnt')); setTimeout(() => {}, 60_000)`;
  const child = spawn(process.execPath, ['-e', parent]);
  try {
    await once(child.stdout, 'data');
    const processes = [{ role: 'appServer', pid: child.pid ?? 0 }] as const;
    const [cpuUs, bytes] = [readCpuUs(processes), await readMemoryBytes(processes)];
    expect([cpuUs.database, bytes.database]).toEqual([null, null]);
    expect(cpuUs.appServer).toBeGreaterThan(400_000);
    expect(bytes.appServer).toBeGreaterThan(10 * 2 ** 20);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a window’s CPU time is read when its phases begin, in proportion to the window, and not where some was lost', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('process trees are read from /proc, which is Linux');
  const child = spawn(process.execPath, ['-e', 'for (;;);']);
  const idle = spawn('sleep', ['60']);
  try {
    await sleep(200);
    const [busy, calm] = [child, idle].map(({ pid = 0 }) => ({ role: 'database', pid }) as const);
    const reader = new WindowUsageReader([present(busy)]);
    const both = new WindowUsageReader([present(busy), present(calm)]);
    for (const each of [reader, both]) {
      each.phase('warmup');
      each.phase('window');
    }
    await sleep(500);
    reader.phase('drain');
    // It ends before anything unread could still be read.
    child.kill('SIGKILL');
    await once(child, 'close');
    both.phase('drain');
    const [half, whole] = [await reader.usage(250), await reader.usage(500)];
    expect(whole.appServer.cpuUs).toBeNull();
    // However many others want the processors.
    expect(whole.database.cpuUs).toBeGreaterThan(10_000);
    expect(whole.database.cpuUs).toBeLessThan(600_000);
    expect(half.database.cpuUs).toBeCloseTo((whole.database.cpuUs ?? 0) / 2, 6);
    const { database } = await both.usage(500);
    expect(database.cpuUs).toBeNull();
    // In MiB, of the one that is left.
    expect(database.rssMb).toBeGreaterThan(0);
    expect(database.rssMb).toBeLessThan(100);
  } finally {
    child.kill('SIGKILL');
    idle.kill('SIGKILL');
  }
});
