import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialRecordSchema } from '@fair-bench/results';
import { afterAll, describe, expect, test } from 'vitest';
import { readSummary, type RunningCommand, startCommand } from './support/command.ts';
import { childrenOf } from './support/processes.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-void-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const rounds = 2;
const gap =
  '--from null-http[sessions=8] --to null-http[sessions=12] --set null-http.delayMs=20 --accounts 1000'.split(
    ' ',
  );
const short = `--duration 300ms --warmup 100ms --measure-again 0 --trials ${rounds}`.split(' ');

function explain(out: string): RunningCommand {
  return startCommand(['explain', ...gap, ...short, '--verbose', '--out', out]);
}

/** Kills so many load clients of a run, each as soon as it is there. */
async function killClients({ child }: RunningCommand, most: number): Promise<number> {
  const killed = new Set<number>();
  while (child.exitCode === null && child.signalCode === null && killed.size < most) {
    for (const pid of await childrenOf(child.pid ?? 0)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (killed.has(pid) || killed.size >= most || !words.includes('load-client/src/main.ts')) continue;
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return killed.size;
}

async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
  return texts.map((text) => trialRecordSchema.parse(JSON.parse(text)).status);
}

describe('a load client that is killed makes its trial void', () => {
  test('and an explanation measures that trial again, and says so', async () => {
    const out = join(await mkdtemp(join(scratch, 'once-')), 'run');
    const command = explain(out);
    expect(await killClients(command, 1)).toBe(1);
    expect(await command.ended, command.output()).toBe(0);
    const { explanation, cells } = await readSummary(out);
    expect(explanation?.cellsMeasured).toBe(2);
    expect(cells.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(await recordsIn(join(out, 'void'))).toEqual(['void']);
    expect(await recordsIn(join(out, 'trials'))).toEqual(Array(2 * rounds).fill('ok'));
    expect(command.output()).toMatch(/Round 1 of \S+ was measured again; void\/\S+ was void: load client/);
  }, 60_000);

  test('but not for ever: where every trial is void, as many repeats are made as there are cells', async () => {
    const out = join(await mkdtemp(join(scratch, 'always-')), 'run');
    const command = explain(out);
    const killed = await killClients(command, 100);
    expect(await command.ended, command.output()).toBe(1);
    const [cells, repeats] = [2, 2];
    expect(killed).toBe(cells * rounds + repeats);
    expect(await recordsIn(join(out, 'void'))).toEqual(['void', 'void']);
    const { explanation } = await readSummary(out);
    expect(explanation).toBeUndefined();
  }, 60_000);
});
