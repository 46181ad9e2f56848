import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sum } from '@fair-bench/results';
import { inTestAll } from '@fair-bench/contract/test-support';
import { readSummary, type RunningCommand, smallRun, startCommand } from './support/command.ts';
import { childrenOf, eventually, processesMentioning } from './support/processes.ts';

const testTimeoutMs = 100_000;
const sessions = 8;
/** Checkpointer, writers, launchers, I/O workers: what PostgreSQL 18 runs beside its sessions. */
const ownProcessesMin = 8;
let scratch = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'fair-bench-ends-'));
});
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

/** A run with its own data folder, so that everything it started can be found by that name. */
async function startRun(
  name: string,
  words: readonly string[],
): Promise<{ run: RunningCommand; out: string; data: string }> {
  const out = await mkdtemp(join(scratch, `${name}-`));
  // PostgreSQL's own user must reach its data directory, which a folder of mkdtemp's does not allow.
  const data = await mkdtemp('/var/tmp/fair-bench-ends-');
  await chmod(data, 0o755);
  const run = startCommand([...smallRun, ...words, '--out', out, '--data-dir', data]);
  return { run, out, data };
}

async function expectNothingLeft(data: string, withinMs: number): Promise<void> {
  const clean = await eventually(
    async () => (await processesMentioning(data)).length === 0 && (await readdir(data)).length === 0,
    withinMs,
  );
  expect({ clean, left: await readdir(data), processes: await processesMentioning(data) }).toEqual({
    clean: true,
    left: [],
    processes: [],
  });
  await rm(data, { recursive: true });
}

async function postmasterIn(data: string): Promise<number> {
  const directories = await readdir(data);
  const pidFiles = directories.map((name) => join(data, name, 'data', 'postmaster.pid')).filter(existsSync);
  const [pidFile] = pidFiles;
  if (pidFile === undefined) throw new Error(`no postmaster.pid under ${data}: ${directories.join(', ')}`);
  return Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
}

const linuxOnly = 'processes are found in /proc, which is Linux';

inTestAll(() => {
  test(
    'a database that dies in a trial voids that trial; the others go on, exit 1',
    async ({ skip }) => {
      if (process.platform !== 'linux') skip(linuxOnly);
      const words = ['--systems', 'postgres-driver,sqlite-embedded', '--trials', '2', '--duration', '1s'];
      const { run, out, data } = await startRun('dies', words);
      // Its rehearsal has sessions too, and is over.
      await run.saw('postgres-driver: before the rounds');
      const postmaster = await postmasterIn(data);
      // Eight sessions and the server's own processes: a trial is being measured.
      const measuring = async (): Promise<boolean> =>
        (await childrenOf(postmaster)).length >= sessions + ownProcessesMin;
      expect(await eventually(measuring, 30_000)).toBe(true);
      process.kill(postmaster, 'SIGKILL');
      expect(await run.ended, run.output()).toBe(1);
      const summary = await readSummary(out);
      const driver = summary.cells.find(({ target }) => target === 'postgres-driver');
      const sqlite = summary.cells.find(({ target }) => target === 'sqlite-embedded');
      expect(driver?.status).toBe('void');
      expect(JSON.stringify(driver)).not.toContain('"mean"');
      expect(sqlite?.status).toBe('ok');
      await expectNothingLeft(data, 5000);
    },
    testTimeoutMs,
  );

  test(
    'a database that dies in the rehearsal voids its cells and is named, with a remedy; the others go on, exit 1',
    async ({ skip }) => {
      if (process.platform !== 'linux') skip(linuxOnly);
      // Beside other tests a trial of the system that goes on may be void by the machine.
      const words = '--systems postgres-driver,sqlite-embedded --trials 1 --measure-again 3'.split(' ');
      const { run, out, data } = await startRun('rehearses', words);
      await run.saw('postgres-driver: ready');
      const postmaster = await postmasterIn(data);
      const contending = async (): Promise<boolean> =>
        (await childrenOf(postmaster)).length >= sessions + ownProcessesMin;
      expect(await eventually(contending, 30_000)).toBe(true);
      process.kill(postmaster, 'SIGKILL');
      expect(await run.ended, run.output()).toBe(1);
      expect(run.output()).not.toContain('postgres-driver: before the rounds');
      const { cells } = await readSummary(out);
      expect(cells.find(({ target }) => target === 'postgres-driver')).toMatchObject({
        status: 'void',
        reason: expect.stringMatching(
          /^PostgreSQL was lost during the rehearsal before the rounds and no longer answers \(.+\); see its log/s,
        ),
        trials: [],
      });
      expect(cells.find(({ target }) => target === 'sqlite-embedded')?.status).toBe('ok');
      await expectNothingLeft(data, 5000);
    },
    testTimeoutMs,
  );
});

test(
  'Ctrl-C leaves no process within 5 s, keeps what was measured, exit 130',
  async ({ skip }) => {
    if (process.platform !== 'linux') skip(linuxOnly);
    const { run, out, data } = await startRun('interrupted', [
      '--systems',
      'postgres-driver',
      '--trials',
      '30',
    ]);
    // The third trial: two or three are done.
    await run.saw('[3/30]');
    const askedMs = Date.now();
    run.child.kill('SIGINT');
    expect(await run.ended, run.output()).toBe(130);
    expect(Date.now() - askedMs).toBeLessThan(5000);
    await expectNothingLeft(data, 1000);
    const summary = await readSummary(out);
    expect(summary.run.interrupted).toBe(true);
    const cells = summary.cells.flatMap((cell) => (cell.status === 'unavailable' ? [] : cell));
    const passedIn = cells.map(({ trials }) => trials.filter(({ status }) => status === 'ok').length);
    expect(sum(passedIn), run.output()).toBeGreaterThanOrEqual(2);
    // A cell with two rounds keeps its number; one with fewer reports what is missing.
    expect(cells.map(({ status }) => status)).toEqual(
      passedIn.map((passed) => (passed < 2 ? 'interrupted' : 'ok')),
    );
  },
  testTimeoutMs,
);

inTestAll(() => {
  test(
    'a runner that is killed leaves no process and no data, and its finished trials',
    async ({ skip }) => {
      if (process.platform !== 'linux') skip(linuxOnly);
      const { run, out, data } = await startRun('killed', [
        '--systems',
        'postgres-storedproc',
        '--trials',
        '30',
      ]);
      await run.saw('[3/30]');
      run.child.kill('SIGKILL');
      await run.ended;
      await expectNothingLeft(data, 8000);
      const kept = (await readdir(join(out, 'trials'))).filter((name) => name.endsWith('.json'));
      expect(kept.length).toBeGreaterThanOrEqual(2);
    },
    testTimeoutMs,
  );
});
