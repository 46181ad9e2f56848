import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialRecordSchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { readSummary, type RunningCommand, startCommand } from './support/command.ts';
import { childrenOf } from './support/processes.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-void-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const rounds = 2;
const gap = `--from null-http[sessions=8] --to null-http[sessions=12] --accounts 1000 --measure-again 0 --trials ${rounds}`;

function explain(out: string, words: string): RunningCommand {
  return startCommand(['explain', ...`${gap} ${words}`.split(' '), '--verbose', '--out', out]);
}

/** Kills the first load client of a run as soon as it exists. */
async function killClient({ child }: RunningCommand): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    for (const pid of await childrenOf(child.pid ?? 0)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (words.includes('load-client/src/main.ts')) return void process.kill(pid, 'SIGKILL');
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the run ended without a load client');
}

async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
  return texts.map((text) => trialRecordSchema.parse(JSON.parse(text)).status);
}

test('an explanation measures a trial whose load client was killed again, and says so', async () => {
  const out = join(await mkdtemp(join(scratch, 'once-')), 'run');
  const command = explain(out, '--duration 300ms --warmup 100ms --set null-http.delayMs=20');
  await killClient(command);
  expect(await command.ended, command.output()).toBe(0);
  const { explanation, cells } = await readSummary(out);
  expect(explanation?.cellsMeasured).toBe(2);
  expect(cells.map(({ status }) => status)).toEqual(['ok', 'ok']);
  expect(await recordsIn(join(out, 'void'))).toEqual(['void']);
  expect(await recordsIn(join(out, 'trials'))).toEqual(Array(2 * rounds).fill('ok'));
  expect(command.output()).toMatch(/Round 1 of \S+ was measured again; void\/\S+ was void: load client/);
}, 60_000);

test('a window in which nothing was applied is repeated, but only once per cell', async () => {
  const out = join(await mkdtemp(join(scratch, 'always-')), 'run');
  // A warm-up without replies takes twice as long as requested: the first reply still comes after the window.
  const command = explain(out, '--duration 200ms --warmup 50ms --set null-http.delayMs=500');
  expect(await command.ended, command.output()).toBe(1);
  expect(await recordsIn(join(out, 'void'))).toEqual(['void', 'void']);
  expect(await recordsIn(join(out, 'trials'))).toEqual(Array(2 * rounds).fill('void'));
  expect(command.output()).toMatch(
    /was measured again; void\/\S+ was void: no operation was applied in the window/,
  );
  expect((await readSummary(out)).explanation).toBeUndefined();
}, 60_000);
