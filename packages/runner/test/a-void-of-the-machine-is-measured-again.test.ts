import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialRecordSchema } from '@fair-bench/results';
import { inTestAll } from '@fair-bench/contract/test-support';
import { afterAll, expect, test } from 'vitest';
import { readSummary, type RunningCommand, startCommand } from './support/command.ts';
import { childrenOf } from './support/processes.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-void-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const rounds = 2;
const small = `--accounts 1000 --trials ${rounds} --deployments 1 --verbose`;

function start(words: string, out: string): RunningCommand {
  return startCommand([...`${words} ${small}`.split(' '), '--out', out]);
}

/** Kills the first process of a run whose command line has `part`, as soon as it exists. */
async function killFirst(command: RunningCommand, part: string): Promise<void> {
  if (!(await kill(command, part, 1))) throw new Error(`the run ended without ${part}`);
}

/** Kills every process of a run whose command line has `part`, until the run ends. */
async function killEach(command: RunningCommand, part: string): Promise<void> {
  await kill(command, part, Infinity);
}

/** Whether as many processes were killed as stated, before the run ended. */
async function kill({ child }: RunningCommand, part: string, most: number): Promise<boolean> {
  const killed = new Set<number>();
  while (child.exitCode === null && child.signalCode === null) {
    for (const pid of await childrenOf(child.pid ?? 0)) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (!words.includes(part) || killed.has(pid)) continue;
      process.kill(pid, 'SIGKILL');
      if (killed.add(pid).size === most) return true;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

async function recordsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
  return texts.map((text) => trialRecordSchema.parse(JSON.parse(text)).status);
}

const loadClient = 'load-client/src/main.ts';

inTestAll(() => {
  test('an explanation measures a trial whose load client was killed again, and says so', async () => {
    const out = join(await mkdtemp(join(scratch, 'once-')), 'run');
    const gap = '--from null-http[sessions=8] --to null-http[sessions=12] --set null-http.delayMs=20';
    const command = start(`explain ${gap} --duration 1s --warmup 100ms --measure-again 1`, out);
    await killFirst(command, loadClient);
    expect(await command.ended, command.output()).toBe(0);
    const { explanation, cells, run } = await readSummary(out);
    expect(explanation?.model.cellsMeasured).toBe(2);
    expect(cells.map(({ status }) => status)).toEqual(['ok', 'ok']);
    // A busy machine may void or disturb others, which are measured again too.
    const voids = (await recordsIn(join(out, 'discarded'))).filter((status) => status === 'void');
    expect(voids.length).toBeGreaterThan(0);
    expect(run.voidsMeasuredAgain).toBe(voids.length);
    expect(await recordsIn(join(out, 'trials'))).toEqual(Array(2 * rounds).fill('ok'));
    expect(command.output()).toMatch(/round 1, was void \(not-audited\): load client/);
  }, 60_000);
});

const one =
  'fair-bench --systems null-http --set null-http.delayMs=10 --processes 1 --alpha 0.5 --depth 1 --sessions 8';

test('a cell whose load client is always killed is repeated once; with --measure-again 0 never', async () => {
  const run = async (words: string): Promise<readonly [string[], number | undefined]> => {
    const out = join(await mkdtemp(join(scratch, 'always-')), 'run');
    const command = start(`${one} --duration 200ms --warmup 50ms ${words}`, out);
    await killEach(command, loadClient);
    expect(await command.ended, command.output()).toBe(1);
    expect(await recordsIn(join(out, 'trials'))).toEqual(Array(rounds).fill('void'));
    return [await recordsIn(join(out, 'discarded')), (await readSummary(out)).run.voidsMeasuredAgain];
  };
  expect(await run('--measure-again 2')).toEqual([['void'], 1]);
  expect(await run('--measure-again 0')).toEqual([[], undefined]);
}, 60_000);
