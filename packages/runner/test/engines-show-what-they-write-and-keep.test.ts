import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInLoadClient } from '@fair-bench/contract';
import { lackOfCargo } from '@fair-bench/native-client';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

/** The first build compiles the engine. */
const runMsMax = 20 * 60_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-files-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

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
    const engines = chosen(['leveldb', 'lmdb-embedded', 'sqlite-embedded'], (_, place) => place === 0);
    const systems = [...engines, 'sqlite-drizzle'].join();
    const { out, output } = await measured(scratch, (to) =>
      startCommand([...ycsb, ...short, '--systems', systems, '--verbose', '--out', to]),
    );
    expect(await seenIn(out), output).toBe(engines.length + 1);
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
