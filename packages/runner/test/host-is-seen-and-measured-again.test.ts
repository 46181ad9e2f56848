import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type AgentShare,
  type HostConditions,
  Artifacts,
  type PassedTrial,
  type TrialRecord,
  hostBounds,
} from '@fair-bench/results';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repeatBudget, measureAgain } from '../src/measure/measure-again.ts';
import { WindowUsageReader } from '../src/measure/window-usage.ts';
import { removeFolder, scratchFolder } from './support/run-folder.ts';
import { passedTrial, planOf, present, voidTrial } from '@fair-bench/analysis/test-support';

const windowMs = 600;
const againMax = 2;

/**
 * A foreign process that uses a processor until the window is over; its parent has ended, so it is not a child of the
 * run.
 */
async function startBurner(): Promise<number> {
  const burn = `const end = Date.now() + ${2 * windowMs}; while (Date.now() < end);`;
  const start = '"$0" -e "$1" >/dev/null 2>&1 & echo $!';
  const { stdout } = await promisify(execFile)('sh', ['-c', start, process.execPath, burn]);
  return Number(stdout);
}

describe.skipIf(process.platform !== 'linux')(
  'a process outside of the run that burns a processor',
  { meta: { whySkipped: 'reads /proc, which only Linux has' } },
  () => {
    test('is foreign when it starts within the window, except where it is the run’s own', async () => {
      const reader = new WindowUsageReader([]);
      reader.phase('warmup');
      reader.phase('window');
      const burner = await startBurner();
      await sleep(windowMs);
      reader.phase('drain');
      process.kill(burner, 'SIGKILL');
      const host = present(reader.host('in-process') ?? undefined);
      expect(host.foreignShare).toBeGreaterThan(hostBounds.foreignShareMax);
      expect(host.foreignMost?.share).toBeGreaterThan(0);
      expect(host.busyShare).toBeGreaterThan(0.9 * (host.foreignShare ?? 1));
      // As the process of a load agent, or a child of it. Both include everything else that this machine does.
      const own = present(reader.host('in-process', [burner])?.foreignShare ?? undefined);
      expect(own).toBeLessThan((host.foreignShare ?? 0) - hostBounds.foreignShareMax);
      // A server at a URL or in a container may run here, and could not be separated from it.
      for (const provider of ['url', 'docker'] as const)
        expect(reader.host(provider)).toMatchObject({ foreignShare: null, foreignMost: null });
    });
  },
);

describe('a trial that the host disturbed', () => {
  const plan = planOf({ targets: ['alpha-http'] });
  const cell = present(plan.cells[0]);

  const calm: HostConditions = {
    cores: 2,
    busyShare: 0.8,
    stealShare: 0,
    waitingShare: null,
    runnable: null,
    foreignShare: 0.01,
    foreignMost: { command: 'editor', share: 0.01 },
  };
  const trialOn = (foreignShare: number, applied: number): PassedTrial =>
    passedTrial({ cell, round: 0, applied }, { host: { ...calm, foreignShare } });

  async function measureAll(
    trials: readonly TrialRecord[],
    { mayAgain = (): boolean => true, voidsMax = 1, answers = true } = {},
  ): Promise<{ record: TrialRecord; measured: number; folder: string }> {
    const folder = await scratchFolder();
    onTestFinished(async () => await removeFolder(folder));
    const artifacts = new Artifacts(folder);
    await artifacts.open();
    let measured = 0;
    const record = await measureAgain({
      measure: async () => await Promise.resolve(present(trials[measured++])),
      againMax,
      voidsMax,
      mayAgain,
      answers: async () => await Promise.resolve(answers),
      aside: { artifacts, folder: 'discarded' },
    });
    return { record, measured, folder };
  }

  test('is measured again, the calm one counts, and the other is kept beside it', async () => {
    const { record, measured, folder } = await measureAll([trialOn(0.2, 5000), trialOn(0.01, 1000)]);
    expect(measured).toBe(2);
    expect(record).toMatchObject({ status: 'ok', tps: 500, host: { foreignShare: 0.01 } });
    const [aside] = record.discardedTrials ?? [];
    expect(aside).toMatchObject({ host: { foreignShare: 0.2 } });
    const kept: unknown = JSON.parse(await readFile(join(folder, aside?.file ?? ''), 'utf8'));
    expect(kept).toMatchObject({ status: 'ok', tps: 2500 });
  });

  test('is measured again where it is the machine of a load agent', async () => {
    const idle = { sessionFirst: 0, sessionCount: 1, applied: 1, cores: 2, cpuUserUs: 0, cpuSystemUs: 0 };
    const clock = {
      windowSkewMs: 0,
      clockErrorMs: 0,
      roundTripMs: 0,
      heardAfterMs: 0,
      windowMs: 1,
      windowMsHeard: 1,
    };
    const host = { ...calm, foreignShare: 0.2 };
    const agent: AgentShare = { name: 'a1', ...idle, ...clock, utilization: 0, host };
    const first = trialOn(0.01, 5000);
    const quiet = { ...agent, name: 'a2', host: calm };
    const onAgent = { ...first, result: { ...first.result, agents: [agent, quiet] } };
    const { record, measured } = await measureAll([onAgent, trialOn(0.01, 1000)]);
    expect([measured, record]).toMatchObject([2, { tps: 500 }]);
  });

  test('is measured at most so often; then the least disturbed counts, whatever its number', async () => {
    const trials = [trialOn(0.3, 5000), trialOn(0.2, 1000), trialOn(0.4, 9000), trialOn(0.01, 1)];
    const { record, measured } = await measureAll(trials);
    expect(measured).toBe(1 + againMax);
    expect(record).toMatchObject({ tps: 500 });
    expect(record.discardedTrials).toMatchObject([
      { host: { foreignShare: 0.3 } },
      { host: { foreignShare: 0.4 } },
    ]);
  });

  test('is measured again after a void that the machine may have caused, never after one that a lie may have', async () => {
    const voidBy = (...codes: string[]) => voidTrial({ cell, round: 0 }, { voidBy: codes });
    const good = trialOn(0, 1000);
    const { record } = await measureAll([voidBy('littles-law', 'reply-bursts'), good]);
    expect(record).toMatchObject({
      status: 'ok',
      discardedTrials: [{ voidBy: ['littles-law', 'reply-bursts'] }],
    });
    for (const code of ['state', 'acknowledged-early', 'settings-in-window', 'device-flushes', 'window-work'])
      expect(await measureAll([voidBy('reply-bursts', code), good])).toMatchObject({ measured: 1 });
  });

  test('stays void where every repeat is void, and where a repeat breaks another rule', async () => {
    const bursts = () => voidTrial({ cell, round: 0 }, { voidBy: ['reply-bursts'] });
    const often = await measureAll([bursts(), bursts(), bursts(), trialOn(0, 1000)], { voidsMax: 5 });
    expect(often).toMatchObject({ measured: 1 + againMax, record: { status: 'void' } });
    expect(new Set(often.record.discardedTrials?.map(({ file }) => file)).size).toBe(againMax);
    const once = await measureAll([bursts(), bursts(), trialOn(0, 1000)], { voidsMax: 1 });
    expect(once).toMatchObject({ measured: 2, record: { status: 'void' } });
    const lie = voidTrial({ cell, round: 0 }, { voidBy: ['state'] });
    expect(await measureAll([bursts(), lie, trialOn(0, 1000)])).toMatchObject({
      measured: 2,
      record: { voidBy: ['state'] },
    });
    // A disturbed trial that passed does not replace a later void.
    expect(await measureAll([trialOn(0.2, 1000), bursts(), bursts()])).toMatchObject({
      measured: 3,
      record: { status: 'void' },
    });
  });

  test('without an audit is measured again only if the target is alive', async () => {
    const trials = [voidTrial({ cell, round: 0 }), trialOn(0, 1000)];
    expect(await measureAll(trials)).toMatchObject({
      record: { status: 'ok', discardedTrials: [{ voidBy: ['not-audited'] }] },
    });
    expect(await measureAll(trials, { answers: false })).toMatchObject({ measured: 1 });
  });

  test('counts unrepeated where the host was not observed, or there is no time', async () => {
    const unseen = passedTrial({ cell, round: 0, applied: 1000 });
    expect(await measureAll([unseen])).toMatchObject({ record: unseen, measured: 1 });
    const late = repeatBudget({}, () => 100, performance.now() + 50);
    expect((await measureAll([trialOn(0.2, 1000)], { mayAgain: () => late(1000) })).measured).toBe(1);
  });

  test('counts unrepeated while other cells have no trial, and the time is theirs', () => {
    let firstsLeft = 3;
    const gate = repeatBudget(
      {},
      () => 100,
      performance.now() + 10_000,
      () => firstsLeft,
    );
    expect(gate(4000)).toBe(false);
    firstsLeft = 0;
    expect(gate(4000)).toBe(true);
  });

  test('takes one trial in four of a run with it, and at least two', () => {
    const allowed = (trials: number): number => {
      const gate = repeatBudget({}, () => trials);
      return Array.from({ length: 50 }, () => gate(0)).filter(Boolean).length;
    };
    expect([allowed(1), allowed(8), allowed(40)]).toEqual([2, 2, 10]);
  });

  test('takes none on a host that is shared on purpose, whatever runs beside it', () => {
    expect(repeatBudget({ sharedHost: { beside: [] } }, () => 40)(0)).toBe(false);
  });

  test('has more repeats once a budget has added rounds to the planned ones', () => {
    let trials = 8;
    const gate = repeatBudget({}, () => trials);
    expect([gate(0), gate(0), gate(0)]).toEqual([true, true, false]);
    trials = 48;
    expect(Array.from({ length: 50 }, () => gate(0)).filter(Boolean)).toHaveLength(10);
  });

  test('a void is repeated though disturbed trials have used every repeat, and late in the run', async () => {
    expect(
      await measureAll([voidTrial({ cell, round: 0 }), trialOn(0, 1000)], { mayAgain: () => false }),
    ).toMatchObject({ measured: 2, record: { status: 'ok' } });
  });
});
