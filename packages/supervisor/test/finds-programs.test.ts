import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findProgram, programVersion } from '../src/index.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  vi.stubEnv('PATH', join(folder, 'path'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function program(...path: readonly string[]): Promise<string> {
  return await programThatPrints('my-db  Ver 11.8.3-MariaDB for debian', ...path);
}

async function programThatPrints(text: string, ...path: readonly string[]): Promise<string> {
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
  return file;
}

const search = { system: 'my-db', names: ['mydbd', 'mydb'] };

test('a program is found on PATH, the preferred name first, and else in the cache', async () => {
  expect(await findProgram(search)).toBeNull();
  const cached = await program('cache', 'fair-bench', 'bin', 'mydbd');
  expect(await findProgram(search)).toBe(cached);
  await program('path', 'mydb');
  const preferred = await program('path', 'mydbd');
  expect(await findProgram(search)).toBe(preferred);
});

test('a program of that name that is another system’s is passed over', async () => {
  const isOwn = async (path: string): Promise<boolean> => !(await programVersion(path)).includes('MariaDB');
  await program('path', 'mydbd');
  expect(await findProgram({ ...search, isOwn })).toBeNull();
  const own = await programThatPrints('my-db  Ver 9.7.4 for Linux', 'cache', 'fair-bench', 'bin', 'mydbd');
  expect(await findProgram({ ...search, isOwn })).toBe(own);
});

test('the variable of the system names the program or its folder, and goes before PATH', async () => {
  await program('path', 'mydbd');
  const own = await program('own', 'mydb');
  vi.stubEnv('FAIR_BENCH_MY_DB_BIN', own);
  expect(await findProgram(search)).toBe(own);
  vi.stubEnv('FAIR_BENCH_MY_DB_BIN', join(folder, 'own'));
  expect(await findProgram(search)).toBe(own);
});

test('a variable that names no program is an error with a remedy', async () => {
  vi.stubEnv('FAIR_BENCH_MY_DB_BIN', join(folder, 'nowhere'));
  await expect(findProgram(search)).rejects.toThrow(
    /^my-db: FAIR_BENCH_MY_DB_BIN=.*nowhere is neither a program nor a folder with mydbd or mydb; correct/,
  );
});

test('a second program of a system is looked for beside the first', async () => {
  const server = await program('own', 'mydbd');
  const tool = await program('own', 'mydb-install');
  await program('path', 'mydb-install');
  vi.stubEnv('FAIR_BENCH_MY_DB_BIN', server);
  expect(await findProgram({ system: 'my-db', names: ['mydb-install'], beside: server })).toBe(tool);
});

test('a program named by its path takes precedence over the variable, and must be one', async () => {
  vi.stubEnv('FAIR_BENCH_MY_DB_BIN', await program('own', 'mydbd'));
  const build = await program('build', 'mydbd');
  expect(await findProgram({ ...search, path: build })).toBe(build);
  const nowhere = findProgram({ ...search, path: join(folder, 'nowhere') });
  await expect(nowhere).rejects.toThrow(/^my-db: program=.*nowhere is not a program; correct the path/);
});

test('the version is read from what the program prints', async () => {
  expect(await programVersion(await program('path', 'mydbd'))).toBe('11.8.3-MariaDB');
  await expect(programVersion(join(folder, 'nowhere'))).rejects.toThrow(/nowhere --version failed: .*ENOENT/);
});

test.each([
  ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
  ['etcd Version: 3.5.1', '3.5.1'],
  ['etcd Version:3.5.1', '3.5.1'],
  ['db version v7.0.5', '7.0.5'],
  ['postgres (PostgreSQL) 18.4', '18.4'],
])('the version in %j is %s', async (text, version) => {
  expect(await programVersion(await programThatPrints(text, 'path', 'mydbd'))).toBe(version);
});

test('a program that prints no version is shown with what it prints and where a version is looked for', async () => {
  const path = await programThatPrints('mydb, the good one', 'path', 'mydbd');
  await expect(programVersion(path)).rejects.toThrow(
    /mydbd --version printed "mydb, the good one", in which no version was found: a text like 7.0.15 after/,
  );
});
