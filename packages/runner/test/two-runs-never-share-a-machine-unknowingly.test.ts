import { type ChildProcess, spawn } from 'node:child_process';
import { inTestAll } from '@fair-bench/contract/test-support';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPlanSchema } from '@fair-bench/results';
import { startTimeOf } from '@fair-bench/supervisor';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';
import { removeFolder, scratchFolder } from './support/run-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await scratchFolder();
});
afterEach(async () => {
  await removeFolder(folder);
});

const fixture = fileURLToPath(new URL('./fixtures/holds-the-host.ts', import.meta.url));

interface Holder {
  readonly child: ChildProcess;
  /** What it printed, once it has printed a line or ended. */
  readonly said: string;
  readonly code: number | null;
}

/** A process that uses the machine until its standard input ends, if it may. */
async function hold(...words: readonly string[]): Promise<Holder> {
  const child = spawn(process.execPath, [fixture, folder, ...words], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const ended = once(child, 'close');
  const spoke = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (stream === child.stdout) resolve();
      });
  });
  await Promise.race([spoke, ended]);
  return { child, said, code: child.exitCode };
}

/** The id of a process that runs until the test ends. */
async function sleeping(): Promise<number> {
  const sleeper = spawn('sleep', ['60']);
  onTestFinished(() => void sleeper.kill('SIGKILL'));
  await once(sleeper, 'spawn');
  return sleeper.pid ?? 0;
}

async function end({ child }: Holder): Promise<void> {
  const ended = once(child, 'close');
  child.stdin?.end();
  await ended;
}

describe('a process that wants to measure', () => {
  test('is refused while another does, with its id, command and folder, and the remedy', async () => {
    const first = await hold();
    expect(first.said).toBe('{}\n');
    const { code, said } = await hold();
    expect(code).toBe(1);
    expect(said).toMatch(
      new RegExp(
        `another run measures on this machine: pid ${first.child.pid}, npm run bench in /the/clone, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\. Wait .*--share-host`,
      ),
    );
    // The refused one left nothing, and the first counts until it ends.
    expect(await readdir(folder)).toHaveLength(1);
    await end(first);
    expect(await readdir(folder)).toEqual([]);
    expect((await hold()).said).toBe('{}\n');
  });

  test('may share the machine, and names the run beside it; a third sees both', async () => {
    const first = await hold();
    const second = await hold('share');
    expect(second.said).toContain(`{"sharedHost":{"beside":["pid ${first.child.pid}, npm run bench`);
    await end(first);
    expect((await hold()).said).toContain(`pid ${second.child.pid}, `);
  });

  test('is free at once when the other was killed, whose file it removes', async () => {
    const first = await hold();
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    expect(await readdir(folder)).toHaveLength(1);
    const second = await hold();
    expect(second.said).toBe('{}\n');
    expect(await readdir(folder)).toEqual([expect.stringMatching(new RegExp(`^${second.child.pid}-`))]);
  });

  test('takes no other process that got the id of a killed run for it', async () => {
    const sleeper = await sleeping();
    await writeFile(join(folder, `${sleeper}-1.json`), '{}');
    expect((await hold()).said).toBe('{}\n');
  });

  test('is refused by a run whose file it cannot read', async () => {
    const sleeper = await sleeping();
    const startTime = startTimeOf(sleeper)?.replaceAll(/\W+/g, '-');
    await writeFile(join(folder, `${sleeper}-${startTime}.json`), 'not JSON');
    expect((await hold()).said).toContain(`pid ${sleeper}. Wait`);
  });

  test('is not refused by the run that started it', async () => {
    const first = await hold('alone', 'with-child');
    expect([first.said, first.code]).toEqual(['{}\n{}\n', null]);
  });
});

inTestAll(() => {
  test('a second real run is refused with exit 2, or says in plan and report that it shares; a SIGKILL frees the machine', async () => {
    // Other tests and runs may use this machine too: what is expected is what the first of these two does to the second.
    const environment = { ...process.env, FAIR_BENCH_SHARE_HOST: '' };
    const words = [...smallRun, '--systems', 'null-http', '--rate', '100'];
    const first = startCommand([...words, '--trials', '500', '--share-host', '--out', join(folder, 'first')]);
    onTestFinished(() => void first.child.kill('SIGKILL'));
    await first.saw('trials:');
    const second = startCommand([...words, '--trials', '1', '--out', join(folder, 'second')], environment);
    expect(await second.ended).toBe(2);
    const pid = `pid ${first.child.pid}, npm run fair-bench in `;
    expect(second.output()).toContain(pid);
    expect(await readdir(folder)).toEqual(['first']);
    const { out, code, output } = await measured(folder, (to) =>
      startCommand([...words, '--trials', '1', '--share-host', '--out', to], environment),
    );
    expect(code, output).toBe(0);
    const plan = runPlanSchema.parse(JSON.parse(await readFile(join(out, 'plan.json'), 'utf8')));
    expect(plan.sharedHost?.beside.join()).toContain(pid);
    expect((await readSummary(out)).disturbance?.beside).toEqual(plan.sharedHost?.beside);
    expect(output).toContain('The host was shared (--share-host)');
    first.child.kill('SIGKILL');
    await first.ended;
    const last = startCommand([...words, '--trials', '1', '--out', join(folder, 'last')], environment);
    await last.ended;
    expect(last.output()).not.toContain(pid);
  }, 120_000);
});
