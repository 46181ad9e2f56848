import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { factsOf, planOf, present } from '@fair-bench/analysis/test-support';
import { lackOfCargo } from '@fair-bench/native-client';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRunOptions } from '../src/options/run-options.ts';
import { coldLack } from '../src/measure/cold-start.ts';
import { readSummary, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

/** The first build compiles the engine. */
const runMsMax = 20 * 60_000;
const mib = 2 ** 20;
const root = fileURLToPath(new URL('../../..', import.meta.url));
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-cold-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const ycsb = ['fair-bench', '--workload', 'ycsb', '--param', 'mix=a', '--param', 'records=10000'];
const short = ['--sessions', '1', '--depth', '1', '--duration', '1s', '--warmup', '200ms', '--trials', '1'];

test(
  'with --cold the files of each engine left the page cache, and the report has the time to open and the first second',
  {
    timeout: runMsMax,
  },
  async ({ skip }) => {
    if (process.platform !== 'linux') skip('needs Linux: the page cache is emptied by GNU dd');
    // Whether a commit is durable is not asked here: of async ones nothing is killed before the rounds.
    const engines = chosen(
      ['lmdb-embedded', 'leveldb-embedded', 'sqlite-embedded'],
      (_, place) => place === 0,
    );
    const systems = [...engines.map((name) => `${name}[durability=async]`), 'sqlite-drizzle'].join();
    const { out, output } = await measured(scratch, (to) =>
      startCommand([...ycsb, ...short, '--systems', systems, '--cold', '--verbose', '--out', to]),
    );
    await hasColdTrials(out, output, engines.length);
    const { cells, parity } = await readSummary(out);
    const server = cells.find(({ target }) => target === 'sqlite-drizzle');
    expect(server?.status === 'ok' ? '' : server?.reason).toContain('this is a server');
    expect(parity.find(({ rule }) => rule === 'F54')).toMatchObject({
      holds: true,
      values: Object.fromEntries(engines.map((name) => [`${name}@async`, 'cold'])),
    });
    for (const report of [output, await readFile(join(out, 'report.html'), 'utf8')]) {
      expect(report).toContain('open ms');
      expect(report).toContain('1st s');
    }
  },
);

test('so it is with an engine inside the native load client', { timeout: runMsMax }, async ({ skip }) => {
  if (process.platform !== 'linux') skip('needs Linux: the page cache is emptied by GNU dd');
  const lack = await lackOfCargo({ root, signal: AbortSignal.timeout(30_000) });
  if (lack !== null) skip(lack.reason);
  // Its settings are read from the engine: nothing is killed before the rounds.
  const words = ['--systems', 'lmdb-heed', '--client', 'native', '--cold'];
  const { out, output } = await measured(scratch, (to) =>
    startCommand([...ycsb, ...short, ...words, '--out', to]),
  );
  await hasColdTrials(out, output, 1);
  const { parity } = await readSummary(out);
  expect(parity.find(({ rule }) => rule === 'F54')).toMatchObject({
    holds: true,
    values: { 'lmdb-heed': 'cold' },
  });
});

async function hasColdTrials(out: string, output: string, count: number): Promise<void> {
  const { cells } = await readSummary(out);
  const trials = (await readArtifacts(out)).trials.filter(isPassed);
  expect(trials, output).toHaveLength(count);
  for (const { cellId, cold, result } of trials) {
    // 10,000 records of 10 × 100 bytes.
    expect(cold?.filesBytes, cellId).toBeGreaterThan(8 * mib);
    expect(cold?.residentBytes ?? 0, cellId).toBeLessThan((cold?.filesBytes ?? 0) / 10);
    expect(cold?.openMs, cellId).toBeGreaterThan(0);
    expect(cold?.firstSecond?.applied, cellId).toBe(result.series[0]?.applied);
    const cell = cells.find(({ id }) => id === cellId);
    const found = cell?.status === 'ok' ? cell.coldStart : undefined;
    expect(found?.openMs?.mean, cellId).toBe(cold?.openMs);
    expect(found?.firstSecond?.tps.mean, cellId).toBe(cold?.firstSecond?.applied);
  }
}

test('a server, and files in memory, have the reason', () => {
  const cell = { ...present(planOf({ targets: ['alpha-http'] }).cells[0]), cold: true as const };
  const facts = factsOf('alpha', { provider: 'in-process', appServer: null });
  expect(coldLack(cell, facts)).toBeNull();
  expect(coldLack(cell, factsOf('alpha', { provider: 'url' }))?.reason).toContain('this is a server');
  const inMemory = { ...facts, storage: { directory: '/dev/shm/x', fileSystem: 'tmpfs' } };
  expect(coldLack(cell, inMemory)).toMatchObject({
    reason: 'the files of alpha in /dev/shm/x are in memory (tmpfs): they are never cold',
    remedy: 'name a folder on a disk by --data-dir',
  });
  expect(coldLack({ ...cell, cold: undefined }, inMemory)).toBeNull();
});

test('other modes have no cold trials', () => {
  expect(() => parseRunOptions({ cold: true, mode: 'optimized' })).toThrow(
    /--cold: .* accepts only fair mode/,
  );
});
