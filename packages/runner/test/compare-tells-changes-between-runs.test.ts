import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareRuns } from '../src/commands/compare-runs.ts';
import type { SummaryInput } from '@fair-bench/results';
import { noiseFloor } from '@fair-bench/report/test-support';
import { removeFolder, scratchFolder, writeRun } from './support/run-folder.ts';
import { environment, passedTrial, planOf, runOf, voidTrial } from '@fair-bench/analysis/test-support';

const scratch = await scratchFolder();
afterAll(async () => await removeFolder(scratch));

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const noise = [0, 4, -4];
const width = 160;
/** A folder of results without a run. */
const nothing = join(scratch, 'nothing');

/** Alpha always reaches about 1,000; beta what the test gives it. */
function runAt(betaApplied: number): SummaryInput {
  return runOf(plan, (cell, round) => {
    const applied = cell.target === 'beta-http' ? betaApplied : 2000;
    return passedTrial({ cell, round, applied: applied + (noise[round] ?? 0) });
  });
}

/** Earlier runs that lie 1 % apart. */
const history = join(scratch, 'history');
for (const [index, applied] of [2000, 2020, 1990, 2010, 1980, 2000].entries()) {
  const startedAt = `2026-11-1${index}T12:00:00.000Z`;
  await writeRun(history, `run-${index}`, { ...runAt(applied), startedAt });
}
const first = await writeRun(scratch, 'first', runAt(2000));

async function compareWith(
  name: string,
  input: SummaryInput,
): Promise<{ text: string; regressions: number }> {
  return await compareRuns(first, await writeRun(scratch, name, input), nothing, width);
}

describe('two runs of the same plan', () => {
  test('without a change report none, and name the method', async () => {
    const { text, regressions } = await compareWith('same', runAt(2001));
    expect(regressions).toBe(0);
    expect(text.match(/not significant/g)).toHaveLength(2);
    expect(text).toContain('Welch');
    expect(text).toContain('Environment, targets and facts are the same.');
  });

  test('report a cell that became slower, with its ratio and interval', async () => {
    const { text, regressions } = await compareWith('slower', runAt(1200));
    expect(regressions).toBe(1);
    // Without a history 10 % are assumed between runs: 0.6 × e^±0.277.
    expect(text).toMatch(/beta-http-a0\.5-d1-s50 +0\.600 × +\[0\.455, 0\.79\d\] +assumed +SLOWER/);
    expect(text).toContain('the deviation between runs is assumed to be 10 %');
    expect(text).toContain('REGRESSION: 1 cell');
  });

  test('report a cell that became faster, which is no regression', async () => {
    const { text, regressions } = await compareWith('faster', runAt(3000));
    expect(regressions).toBe(0);
    expect(text).toMatch(/beta-http.*1\.50 ×.*faster/);
  });

  test('take the deviation between runs from those in results/', async () => {
    const second = await writeRun(scratch, 'tenth', runAt(1800));
    const { text, regressions } = await compareRuns(first, second, history, width);
    // The logs' deviation is 0.0071; √2 × 0.0071 × t₅ = 0.026.
    expect(text).toMatch(/beta-http.* 0\.900 × +\[0\.87\d, 0\.92\d\] +0\.71 % of 6 runs +SLOWER/);
    expect(regressions).toBe(1);
    expect((await compareRuns(first, second, nothing, width)).regressions).toBe(0);
  });

  test('call a change below the machine’s noise floor noise, which is no regression', async () => {
    const quiet = await writeRun(scratch, 'quiet', { ...runAt(2000), noiseFloor });
    const slightly = await writeRun(scratch, 'slightly', { ...runAt(1925), noiseFloor });
    const clearly = await writeRun(scratch, 'clearly', { ...runAt(1800), noiseFloor });
    const noise3 = await compareRuns(quiet, slightly, history, width);
    expect(noise3.text).toMatch(/beta-http.*0\.96\d ×.*noise: below the noise floor/);
    expect(noise3.text).toContain('Noise floor of this machine: 4.1 %');
    expect(noise3.regressions).toBe(0);
    expect((await compareRuns(quiet, clearly, history, width)).regressions).toBe(1);
  });

  test('count a cell that lost its number as a regression, with the reason', async () => {
    const lost = runOf(plan, (cell, round) =>
      cell.target === 'beta-http' ? voidTrial({ cell, round }) : passedTrial({ cell, round, applied: 2000 }),
    );
    const { text, regressions } = await compareWith('lost', lost);
    expect(regressions).toBe(1);
    expect(text).toMatch(/beta-http-a0\.5-d1-s50: lost, void: round 1: a transfer was applied twice/);
  });

  test('do not blame an interruption', async () => {
    const whole = runAt(2000);
    const trials = whole.trials.filter(({ round }) => round < 1);
    const { text, regressions } = await compareWith('interrupted', { ...whole, trials, interrupted: true });
    expect(regressions).toBe(0);
    expect(text).toContain('not-comparable, interrupted in the second run');
  });

  test('take nothing from runs of a workload whose description was another one', async () => {
    const second = await writeRun(scratch, 'tenth-of-another', runAt(1800));
    const others = join(scratch, 'history-of-another');
    for (const day of [0, 1, 2, 3]) {
      const other = runOfPlan({ ...plan, workloadSha256: '1'.repeat(64) });
      await writeRun(others, `run-${day}`, { ...other, startedAt: `2026-11-1${day}T12:00:00.000Z` });
    }
    expect((await compareRuns(first, second, others, width)).text).toMatch(/beta-http.* assumed /);
  });

  test('name other differences: machine, software, settings, verdict', async () => {
    const { text } = await compareWith('elsewhere', {
      ...runAt(2000),
      environment: { ...environment, cpu: { model: 'Other CPU', cores: 8 }, fsyncPerSecond: 12 },
    });
    expect(text).toContain('environment.cpu.model: Test CPU → Other CPU');
    expect(text).toContain('environment.cpu.cores: 2 → 8');
    // The measured sync rate is never the same twice.
    expect(text).not.toContain('fsyncPerSecond');
  });
});

describe('runs of different plans are refused, with the differences', () => {
  test.each<[string, SummaryInput, RegExp]>([
    [
      'workload',
      runOfPlan({ ...plan, workloadSha256: '1'.repeat(64) }),
      /differ in the description of the workload$/,
    ],
    [
      'workload of optimized mode',
      runOfPlan({ ...plan, mode: 'optimized', workloadSha256: '1'.repeat(64) }),
      /the description of the workload/,
    ],
    ['seed', runOfPlan({ ...plan, seed: '7' }), /seed "42" → "7"/],
    ['timing', runOfPlan({ ...plan, timing: { ...plan.timing, windowMs: 9000 } }), /timing .*9000/],
    ['loop', runOfPlan({ ...plan, loop: { kind: 'open', ratePerSecond: 10 } }), /loop .*open/],
    ['targets', runOfPlan(planOf({ targets: ['alpha-http'] })), /cells only in the first: beta-http/],
    [
      'parameters',
      runOfPlan({ ...plan, cells: plan.cells.map((cell) => ({ ...cell, threads: 2 })) }),
      /cells with other parameters: alpha-http/,
    ],
  ])('%s', async (name, input, said) => {
    await expect(compareWith(`other-${name}`, input)).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringMatching(said),
    });
  });
});

function runOfPlan(other: typeof plan): SummaryInput {
  return runOf(other, (cell, round) => passedTrial({ cell, round, applied: 2000 }));
}
