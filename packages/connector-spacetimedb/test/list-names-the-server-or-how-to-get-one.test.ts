import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listingSchema } from '@fair-bench/runner';
import { z } from 'zod';
import { loneTargetOptions } from '@fair-bench/supervisor';
import connector from '../src/index.ts';
import { skipWithoutServer } from './skip-without-server.ts';

const main = fileURLToPath(new URL('../../runner/src/main.ts', import.meta.url));
const noServer = 'no SpacetimeDB server was found on this machine';
const waysToGetOne = [
  '--url spacetimedb=http://HOST:PORT',
  'on PATH, in FAIR_BENCH_SPACETIMEDB_BIN or in ~/.cache/fair-bench/bin',
  'docker compose up spacetimedb',
];

const commandTimeoutMs = 60_000;
vi.setConfig({ testTimeout: 2 * commandTimeoutMs });

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-list-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

test('without a server the list has the row, the reason and three ways to get one', async () => {
  const row = await listedRow(nothingToFind());
  if (row.available) throw new Error(`a server was found with neither PATH nor HOME: ${row.version}`);
  expect(row.reason).toBe(noServer);
  for (const way of waysToGetOne) expect(row.remedy).toContain(way);
});

test('without a server a run of this target alone is refused with the ways to get one, before anything is written', async () => {
  const out = join(scratch, 'run');
  const words = ['fair-bench', '--systems', 'spacetimedb-sdk', '--out', out];
  const ended = await command(words, nothingToFind());
  expect(ended.code, ended.output).toBe(2);
  expect(ended.output).toContain(noServer);
  for (const way of waysToGetOne) expect(ended.output).toContain(way);
  expect(existsSync(out)).toBe(false);
});

test('with a server the list names its version', async ({ skip }) => {
  await skipWithoutServer(skip);
  const { version } = z
    .object({ version: z.string() })
    .parse(await connector.routes.sdk.probe(loneTargetOptions));
  expect(await listedRow({})).toMatchObject({ available: true, version });
});

function nothingToFind(): Readonly<Record<string, string>> {
  return { PATH: '', HOME: scratch, XDG_CACHE_HOME: '', FAIR_BENCH_SPACETIMEDB_BIN: '' };
}

async function listedRow(
  environment: Readonly<Record<string, string>>,
): Promise<z.infer<typeof listingSchema>> {
  const { output } = await command(['list', '--json'], environment);
  const row = z
    .array(listingSchema)
    .parse(JSON.parse(output))
    .find(({ target }) => target === 'spacetimedb-sdk');
  if (row === undefined) throw new Error('the list has no such row');
  return row;
}

async function command(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const options = { timeout: commandTimeoutMs, env: { ...process.env, ...environment } };
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...words], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
