import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPassed, type PassedTrial, readArtifacts } from '@fair-bench/results';
import { readSummary, smallRun, startCommand } from './support/command.ts';

/** Servers start slowly on a busy machine, and each of these tests starts several. */
const timeoutMs = 120_000;
let out: string;
beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), 'fair-bench-starts-')), 'run');
});
afterEach(async () => await rm(join(out, '..'), { recursive: true }));

/** The trials of a run of two rounds by the names of their targets, in the order of the rounds. */
async function measure(...words: readonly string[]): Promise<ReadonlyMap<string, readonly PassedTrial[]>> {
  const command = startCommand([...smallRun, '--trials', '2', '--out', out, ...words]);
  expect(await command.ended, command.output()).toBe(0);
  const { plan, trials } = await readArtifacts(out);
  return new Map(
    plan.cells.map(({ id, target }) => [
      target,
      trials
        .filter(isPassed)
        .filter(({ cellId }) => cellId === id)
        .toSorted((a, b) => a.round - b.round),
    ]),
  );
}

const reported = async (): Promise<string> => await readFile(join(out, 'report.md'), 'utf8');

const directoriesOf = (trials: readonly PassedTrial[] = []) =>
  trials.map(({ factsAfter }) => factsAfter.storage.directory);

test(
  'servers are started anew for each round, with empty directories, and nothing of them is left',
  async () => {
    const trials = await measure('--systems', 'sqlite-drizzle,postgres-driver');
    expect([...trials.values()].map((each) => each.map(({ deployment }) => deployment))).toEqual([
      [1, 2],
      [1, 2],
    ]);
    const [first, second] = directoriesOf(trials.get('sqlite-drizzle'));
    expect(first).not.toBe(second);
    const postgres = directoriesOf(trials.get('postgres-driver'));
    expect(postgres[0]).not.toBe(postgres[1]);
    for (const directory of [first, second, ...postgres]) expect(existsSync(directory ?? '')).toBe(false);
    const { cells } = await readSummary(out);
    expect(cells.map((cell) => cell.status === 'ok' && cell.deployments)).toEqual([2, 2]);
    expect(await reported()).toContain(
      'before each round: intervals contain what differs from start to start.',
    );
  },
  timeoutMs,
);

test(
  '--deployments 1 keeps the first, and the report says what its intervals leave out',
  async () => {
    const trials = await measure('--systems', 'sqlite-drizzle,null-http', '--deployments', '1');
    expect([...trials.values()].map((each) => each.map(({ deployment }) => deployment))).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(new Set(directoriesOf(trials.get('sqlite-drizzle'))).size).toBe(1);
    expect(await reported()).toContain('intervals leave out what differs from start to start.');
  },
  timeoutMs,
);
