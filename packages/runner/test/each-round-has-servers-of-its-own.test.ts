import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readArtifacts, type TrialRecord } from '@fair-bench/results';
import { smallRun, startCommand } from './support/command.ts';

/** Servers start slowly on a busy machine, and each of these tests starts several. */
const timeoutMs = 120_000;
/** With the starts of servers that a run has by default. */
const withoutStarts = smallRun.slice(0, smallRun.indexOf('--deployments'));
let out: string;
beforeEach(async () => {
  out = join(await mkdtemp(join(tmpdir(), 'fair-bench-starts-')), 'run');
});
afterEach(async () => await rm(join(out, '..'), { recursive: true }));

/** The trials of a run of two rounds by the names of their targets, in the order of the rounds. */
async function measure(...words: readonly string[]): Promise<ReadonlyMap<string, readonly TrialRecord[]>> {
  const command = startCommand([
    ...withoutStarts,
    '--processes',
    '1',
    '--trials',
    '2',
    '--out',
    out,
    ...words,
  ]);
  // On a busy machine a trial may be void: its record says what it was measured on too.
  expect(await command.ended, command.output()).toBeLessThan(2);
  const { plan, trials } = await readArtifacts(out);
  return new Map(
    plan.cells.map(({ id, target }) => [
      target,
      trials.filter(({ cellId }) => cellId === id).toSorted((a, b) => a.round - b.round),
    ]),
  );
}

function startsOf(trials: ReadonlyMap<string, readonly TrialRecord[]>): unknown {
  return Object.fromEntries(
    [...trials].map(([target, each]) => [target, each.map(({ deployment }) => deployment)]),
  );
}

const warmupsOf = (trials: readonly TrialRecord[] = []): readonly number[] =>
  trials.flatMap((trial) => (trial.status === 'ok' ? trial.result.timing.warmupMs : []));

const directoriesOf = (trials: readonly TrialRecord[] = []): readonly string[] =>
  trials.flatMap(
    (trial) => (trial.status === 'ok' ? trial.factsAfter : trial.facts)?.storage.directory ?? [],
  );

test(
  'servers are started anew for each round, with empty directories, and nothing of them is left',
  async () => {
    const trials = await measure('--systems', 'sqlite-drizzle,postgres-driver');
    expect(startsOf(trials)).toEqual({ 'sqlite-drizzle': [1, 2], 'postgres-driver': [1, 2] });
    const directories = [...trials.values()].flatMap(directoriesOf);
    expect(new Set(directories).size).toBe(4);
    expect(directories.filter((directory) => existsSync(directory))).toEqual([]);
  },
  timeoutMs,
);

test(
  '--deployments 1 keeps the first; new servers warm up longest, and the Node client, a new process, longer than was asked',
  async () => {
    const words = ['--systems', 'sqlite-drizzle,null-http', '--deployments', '1'] as const;
    const trials = await measure(...words, '--warmup', '100ms');
    const [first = 0, second = 0] = warmupsOf(trials.get('sqlite-drizzle'));
    expect(first).toBeGreaterThanOrEqual(450);
    // One that is not steady lasts twice as long at most.
    expect(second).toBeGreaterThanOrEqual(250);
    expect(startsOf(trials)).toEqual({ 'sqlite-drizzle': [1, 1], 'null-http': [1, 1] });
    expect(new Set(directoriesOf(trials.get('sqlite-drizzle'))).size).toBe(1);
  },
  timeoutMs,
);
