import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TrialRecord, trialRecordSchema } from '@fair-bench/results';
import { afterAll, expect, test } from 'vitest';
import { readSummary, startCommand, type RunningCommand } from './support/command.ts';
import { runInOneProcess } from './support/commands-in-one-process.ts';
import { childrenOf } from './support/processes.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-soak-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

/** Orders are inserted, and the stock that they are declined by goes down from slice to slice. */
async function startSoak(slices: number, folder: string): Promise<RunningCommand> {
  await mkdir(join(folder, 'data'));
  const words = `soak --systems sqlite-drizzle --workload order --for ${2 * slices}s --slice 2s --warmup 100ms --sessions 4 --items 50`;
  const places = ['--data-dir', join(folder, 'data'), '--out', join(folder, 'run')];
  return startCommand([...words.split(' '), ...places]);
}

async function recordsOf(folder: string): Promise<readonly TrialRecord[]> {
  const trials = join(folder, 'run', 'trials');
  const names = await readdir(trials).catch(() => []);
  const whole = names.filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(whole.map(async (name) => await readFile(join(trials, name), 'utf8')));
  return texts.map((text) => trialRecordSchema.parse(JSON.parse(text))).toSorted((a, b) => a.round - b.round);
}

/** Resolves when so many slices are finished. */
async function finished(folder: string, slices: number, { child, output }: RunningCommand): Promise<void> {
  while ((await recordsOf(folder)).length < slices) {
    if (child.exitCode !== null) throw new Error(`the soak ended early:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Deletes an order that the first slice placed, as a server that forgets would. */
async function forgetOneOrder(folder: string): Promise<void> {
  const files = await readdir(join(folder, 'data'), { recursive: true });
  const [file = ''] = files.filter((name) => name.endsWith('.sqlite'));
  const database = new DatabaseSync(join(folder, 'data', file), { timeout: 5_000 });
  try {
    const { changes } = database.prepare('DELETE FROM orders WHERE id = (SELECT min(id) FROM orders)').run();
    expect(changes).toBe(1);
  } finally {
    database.close();
  }
}

test('each slice begins with what the one before left, and an order that is forgotten between them is missed', async () => {
  const folder = await mkdtemp(join(scratch, 'forgets-'));
  const command = await startSoak(5, folder);
  await finished(folder, 2, command);
  await forgetOneOrder(folder);
  expect(await command.ended, command.output()).toBe(1);

  const records = await recordsOf(folder);
  const voids = records.filter(({ status }) => status === 'void');
  expect(voids.map(({ round }) => round)).toHaveLength(1);
  expect(voids[0]?.status === 'void' ? voids[0].reason : '').toContain(
    'rows of orders that were there before the load changed',
  );
  // The one after it goes on from the rows that are there.
  expect(records.map(({ status }) => status).filter((status) => status === 'ok')).toHaveLength(4);

  const parts = records.flatMap((record) => (record.status === 'ok' ? (record.soak ?? []) : []));
  expect(parts.map(({ seeded }) => seeded)).toEqual([true, false, false, false]);
  const seconds = parts.flatMap((part) => part.seconds);
  expect(seconds.length).toBeGreaterThanOrEqual(4);
  // A second in which nothing was answered has no latency.
  expect(seconds.every(({ applied, latencyMs }) => applied === 0 || latencyMs !== null)).toBe(true);

  const { soak } = await readSummary(join(folder, 'run'));
  expect(soak).toHaveLength(1);
  expect(soak?.[0]).toMatchObject({
    target: 'sqlite-drizzle',
    slices: { passed: 4, void: 1, interrupted: 0 },
    seededAgain: 0,
  });
  const applied = seconds.reduce((sum, second) => sum + second.applied, 0);
  expect(soak?.[0]?.found?.applied).toBe(applied);
}, 90_000);

test('a soak that is killed is read from its finished slices, and leaves nothing running', async () => {
  const folder = await mkdtemp(join(scratch, 'killed-'));
  const command = await startSoak(60, folder);
  await finished(folder, 2, command);
  const { pid = 0 } = command.child;
  const left = await childrenOf(pid);
  expect(left.length).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  await command.ended;
  const [{ code, stdout } = { code: null, stdout: '' }] = await runInOneProcess([
    ['report', join(folder, 'run')],
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('was killed before its end');
  expect(stdout).toContain('INTERRUPTED');
  expect(stdout).toMatch(/^Soak\n(?:.*\n)+?sqlite-drizzle +\d/m);
  const isGone = (of: number): boolean => {
    try {
      return !process.kill(of, 0);
    } catch {
      return true;
    }
  };
  const until = Date.now() + 10_000;
  while (!left.every(isGone) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(left.filter((of) => !isGone(of))).toEqual([]);
}, 90_000);

test('what cannot go on slice by slice is refused before anything starts, with the reason', async () => {
  const soak = ['soak', '--systems', 'sqlite-drizzle'];
  const refused = await runInOneProcess([
    [...soak, '--workload', 'queue'],
    [...soak, '--sessions', '3000', '--for', '10m', '--slice', '10s'],
    [...soak, '--slice', '2h', '--for', '4h'],
    [...soak, '--trials', '3'],
    [...soak, '--for', 'soon'],
  ]);
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
  const said = refused.map(({ stderr }) => stderr);
  expect(said[0]).toMatch(/--workload: got "queue"; .* it deletes rows of/);
  expect(said[1]).toMatch(/--sessions: got "3000"; .* at most 2184 with 60 slices; make --slice longer/);
  expect(said[2]).toMatch(/--slice: accepts at most 1h/);
  expect(said[3]).toMatch(/--trials/);
  expect(said[4]).toMatch(/--for: got "soon"/);
});
