import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readEnvironment } from '../src/options/env.ts';
import { captureEnvironment } from '../src/probes/environment.ts';

const root = mkdtempSync(join(tmpdir(), 'fair-bench-environment-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('the machine, the checkout and the lockfile are in the environment', async () => {
  const input = { root, dataRoot: root, fsyncPerSecond: 1234.5, pinning: 'not requested' };
  const before = await captureEnvironment(input);
  expect(before).toMatchObject({ git: null, lockfileSha256: null, fsyncPerSecond: 1234.5 });
  expect(before.cpu.cores).toBe(availableParallelism());
  expect(before.runtime).toBe(`node ${process.versions.node}`);
  expect(before.fileSystem).toMatchObject({ directory: root });
  expect(before.fileSystem.type).not.toBe('');

  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', root, '-c', 'user.name=n', '-c', 'user.email=e@example.org', ...words], {
      encoding: 'utf8',
    });
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'lockfileVersion: 9\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'First');
  const clean = await captureEnvironment(input);
  expect(clean.git).toEqual({ commit: git('rev-parse', 'HEAD').trim(), dirty: false });
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'));
  expect(clean.lockfileSha256).toBe(createHash('sha256').update(lockfile).digest('hex'));

  writeFileSync(join(root, 'new-file'), '');
  expect((await captureEnvironment(input)).git).toMatchObject({ dirty: true });
});

test('a missing data root is an error', async () => {
  const dataRoot = join(root, 'nowhere');
  await expect(captureEnvironment({ root, dataRoot, fsyncPerSecond: null, pinning: '' })).rejects.toThrow(
    /ENOENT/,
  );
});

test('the environment’s settings are read, and an unknown FAIR_BENCH_ name is refused', () => {
  const none = { dataDirectory: null, shareHost: false };
  expect(readEnvironment({ PATH: '/bin' })).toEqual(none);
  expect(readEnvironment({ FAIR_BENCH_DATA_DIR: '/data' })).toEqual({ ...none, dataDirectory: '/data' });
  expect(readEnvironment({ FAIR_BENCH_POSTGRES_BIN: '/bin/postgres' })).toEqual(none);
  expect(readEnvironment({ FAIR_BENCH_SHARE_HOST: '1' })).toEqual({ ...none, shareHost: true });
  expect(readEnvironment({ FAIR_BENCH_SHARE_HOST: '' })).toEqual(none);
  expect(() => readEnvironment({ FAIR_BENCH_SHARE_HOST: 'yes' })).toThrow('FAIR_BENCH_SHARE_HOST=1');
  expect(() => readEnvironment({ FAIR_BENCH_SPEED: 'fast' })).toThrow(
    'environment: got FAIR_BENCH_SPEED="fast"; accepts FAIR_BENCH_DATA_DIR',
  );
});
