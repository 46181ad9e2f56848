import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, type TestContext, vi } from 'vitest';
import { lackOfCargo, prepareNativeClient } from '../src/index.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
// An engine whose manifest says that it needs both.
const engine = 'rocksdb';
const { signal } = new AbortController();

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'no-tools-'));
  vi.stubEnv('LIBCLANG_PATH', folder);
  vi.stubEnv('CXX', join(folder, 'g++'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

test('without a C++ compiler and libclang: both, and the packages, before anything is built', async ({
  skip,
}) => {
  await needsCargo(skip);
  const lines: string[] = [];
  const lack = {
    available: false,
    reason:
      `cargo cannot build it here: there is no C++ compiler (${folder}/g++); ` +
      `there is no libclang in LIBCLANG_PATH=${folder}, which reads the headers of C`,
    remedy: 'apt-get install g++ libclang-dev (macOS: xcode-select --install), and run again',
  };

  expect(await lackOfCargo({ root, signal, engine })).toEqual(lack);
  const onProgress = (line: string): void => void lines.push(line);
  expect(await prepareNativeClient({ root, signal, engine, onProgress })).toEqual(lack);
  expect(lines).toEqual([]);
});

test('without libclang alone: its package', async ({ skip }) => {
  await needsCargo(skip);
  vi.stubEnv('CXX', process.execPath);
  // A library of another name, which a reader of headers does not load.
  await writeFile(join(folder, 'libclang-cpp.so.14'), '');
  expect(await lackOfCargo({ root, signal, engine })).toMatchObject({
    remedy: expect.stringMatching(/^apt-get install libclang-dev /),
  });

  await writeFile(join(folder, 'libclang-14.so.1'), '');
  expect(await lackOfCargo({ root, signal, engine })).toBe(null);
});

test('an engine whose manifest needs neither is built without them', async ({ skip }) => {
  await needsCargo(skip);
  expect(await lackOfCargo({ root, signal, engine: 'lmdb' })).toBe(null);
  expect(await lackOfCargo({ root, signal })).toBe(null);
});

async function needsCargo(skip: TestContext['skip']): Promise<void> {
  const lack = await lackOfCargo({ root, signal });
  if (lack !== null) skip(`${lack.reason}; ${lack.remedy}`);
}
