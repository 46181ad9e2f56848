import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsOf, planOf, present } from '@fair-bench/analysis/test-support';
import { isPassed, readArtifacts } from '@fair-bench/results';
import { MemoryGroup } from '@fair-bench/supervisor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CellMemory } from '../src/probes/cell-memory.ts';
import { readSummary, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';

const runMsMax = 200_000;
const mib = 2 ** 20;
const lack = lackOfGroups();
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-memory-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

/** Whether a commit is durable is not asked here: of async ones nothing is killed before the rounds. */
const [lmdb, sqlite] = ['lmdb-embedded[durability=async]', 'sqlite-embedded[durability=async]'];
const ycsb = ['fair-bench', '--workload', 'ycsb', '--param', 'mix=a', '--param', 'records=10000'];
const short = [
  '--sessions',
  '1',
  '--depth',
  '1',
  '--duration',
  '500ms',
  '--warmup',
  '200ms',
  '--trials',
  '1',
];

test.skipIf(lack !== null)(
  'with --memory the kernel limits the load client with the engine in it, whose files left the page cache before',
  { timeout: runMsMax, meta: { whySkipped: `there are no control groups here: ${lack}` } },
  async () => {
    const words = ['--systems', `${lmdb},${sqlite},sqlite-drizzle`, '--memory', '160m,1g'];
    const { out, output } = await measured(scratch, (to) =>
      startCommand([...ycsb, ...short, ...words, '--out', to]),
    );
    const { cells, comparisons, parity, sweeps = [] } = await readSummary(out);
    const trials = (await readArtifacts(out)).trials.filter(isPassed);
    expect(trials, output).toHaveLength(4);
    for (const { cellId, memory } of trials) {
      const { memoryMb = 0 } = cells.find(({ id }) => id === cellId) ?? {};
      expect(memory?.limitBytes, cellId).toBe(memoryMb * mib);
      expect(memory?.peakBytes).toBeGreaterThan(32 * mib);
      expect(memory?.peakBytes).toBeLessThanOrEqual(memoryMb * mib);
      // 10,000 records of 10 × 100 bytes.
      expect(memory?.filesBytes).toBeGreaterThan(8 * mib);
      expect(memory?.residentBytes ?? 0).toBeLessThan((memory?.filesBytes ?? 0) / 10);
    }
    expect(cells.map(({ memoryMb }) => memoryMb)).toEqual([160, 1024, 160, 1024, 160, 1024]);
    const server = cells.find(({ target }) => target === 'sqlite-drizzle');
    expect(server?.status === 'ok' ? '' : server?.reason).toContain('this is a server');
    // Only equal memory is compared.
    expect(comparisons.map(({ memoryMb }) => memoryMb)).toEqual([160, 1024]);
    expect(parity.find(({ rule }) => rule === 'F53')).toMatchObject({
      holds: true,
      values: { 'lmdb-embedded@async': 'at most 160 MiB → at most 1024 MiB' },
    });
    expect(sweeps.map(({ parameter }) => parameter)).toEqual(['memory']);
  },
);

test.skipIf(lack !== null)(
  'a load client that needs more than its memory voids the trial, with the remedy',
  { timeout: runMsMax, meta: { whySkipped: `there are no control groups here: ${lack}` } },
  async () => {
    const words = ['--systems', lmdb, '--memory', '32m', '--out', join(scratch, 'small')];
    const { ended, output } = startCommand([...ycsb, ...short, ...words]);
    expect(await ended).toBe(1);
    expect(output()).toContain('the kernel ended it, because it needs more than 32 MiB; raise --memory');
  },
);

test('a server, and a machine without control groups, have the reason', () => {
  const cell = { ...present(planOf({ targets: ['alpha-http'] }).cells[0]), memoryMb: 64 };
  const facts = factsOf('alpha', { provider: 'in-process', appServer: null });
  // More than any machine has an address for.
  using impossible = new CellMemory([{ ...cell, memoryMb: 2 ** 50 }]);
  expect(impossible.lack(cell, facts)?.reason).toContain('--memory needs a control group of Linux: ');
  using unlimited = new CellMemory([]);
  expect(unlimited.lack(cell, factsOf('alpha', { provider: 'url' }))?.reason).toContain('this is a server');
  expect(unlimited.lack({ ...cell, memoryMb: undefined }, facts)).toBeNull();
});

function lackOfGroups(): string | null {
  try {
    using _ = MemoryGroup.withLimit(64 * mib);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
