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
  const file = join(folder, ...path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '#!/bin/sh\necho "my-db  Ver 11.8.3-MariaDB for debian"\n', { mode: 0o755 });
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
