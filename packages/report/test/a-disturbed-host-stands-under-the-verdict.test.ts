import { judge, summarize } from '@fair-bench/analysis';
import {
  type Cell,
  type HostConditions,
  type PassedTrial,
  type RunPlan,
  type RunSummary,
  hostBounds,
} from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { soundEvidence } from '@fair-bench/analysis/test-support';
import { passedTrial, planOf, present, runOf } from '@fair-bench/analysis/test-support';
import { answerOf } from '../src/answer.ts';
import { rankingsOf } from '../src/ranking.ts';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { sectionsOf } from '../src/parts.ts';
import { renderTerminal } from '../src/terminal.ts';

const quiet: HostConditions = {
  cores: 2,
  busyShare: 0.8,
  stealShare: 0,
  waitingShare: 0,
  runnable: [1, 1],
  foreignShare: 0.01,
  foreignMost: { command: 'editor', share: 0.01 },
};
const compiled = { foreignShare: 0.4, foreignMost: { command: 'rustc', share: 0.3 } };
const plan = planOf({ targets: ['alpha-http', 'beta-http', 'gamma-http'], rounds: 4 });

/** A trial with the warnings that the audit gives for such a host. */
function trialOn(cell: Cell, round: number, host: Partial<HostConditions>): PassedTrial {
  const conditions = { ...quiet, ...host };
  const warnings = judge({ ...soundEvidence, host: conditions })
    .filter(({ code }) => code.startsWith('host-'))
    .map(({ code, message, remedy }) => ({ code, message, remedy }));
  const applied = (cell.target === 'alpha-http' ? 4000 : 2000) + round;
  return passedTrial({ cell, round, applied }, { host: conditions, warnings });
}

/** A run in which `beta-http` has so many trials on such a host, the others none. */
function runWith(trials: number, host: Partial<HostConditions>, of: RunPlan = plan): RunSummary {
  return summarize(
    runOf(of, (cell, round) =>
      trialOn(cell, round, cell.target === 'beta-http' && round < trials ? host : {}),
    ),
  );
}

const short = { color: false, width: 200, verbose: false };

describe('a run in which others used the machine', () => {
  const disturbed = runWith(2, compiled);
  const line =
    'Host disturbed: of 12 trials, other processes took over 5 % in 2 (most in 2: rustc, up to 30 %); over a quarter of the trials disturbed in beta-http-a0.5-d1-s50.';

  test('is FAIR and disturbed, which are two words', () => {
    expect(disturbed.verdict).toMatchObject({ fair: true, label: 'FAIR', disturbed: true });
    expect(answerOf(disturbed).headline).toMatch(/^FAIR, disturbed: 3 targets/);
    expect(runWith(0, compiled).verdict).toMatchObject({ fair: true, disturbed: false });
  });

  test('has one line under the verdict in every output', () => {
    const [, , first, second] = renderTerminal(disturbed, short).split('\n');
    expect([first, second]).toEqual([expect.stringContaining('FAIR, disturbed'), `  ${line}`]);
    expect(renderMarkdown(disturbed).split('\n').slice(4, 7)).toEqual([
      expect.stringContaining('FAIR, disturbed'),
      '>',
      `> - ${line}`,
    ]);
    const page = renderHtml(disturbed, []);
    expect(page.slice(page.indexOf('</h1>'), page.indexOf('</header>'))).toContain(line);
    expect(disturbed.disturbance).toEqual({
      trials: 12,
      disturbed: 2,
      foreign: 2,
      stolen: 0,
      busy: 0,
      saturated: 0,
      unobserved: 0,
      foreignMost: [{ command: 'rustc', trials: 2, shareMax: 0.3 }],
      cells: ['beta-http-a0.5-d1-s50'],
      cpuTimeSpread: [1, 1],
    });
  });

  test('has its contrasts marked in tables and sentences, and no others', () => {
    const marks = disturbed.comparisons.map(({ baseline, contender, disturbed: mark }) => [
      baseline,
      contender,
      mark,
    ]);
    expect(marks).toEqual([
      ['alpha-http', 'beta-http', true],
      ['alpha-http', 'gamma-http', undefined],
      ['beta-http', 'gamma-http', true],
    ]);
    const table = present(sectionsOf(disturbed).find(({ title }) => title === 'Comparisons')).table;
    expect(table?.rows.map((row) => row.some((text) => text.endsWith(', disturbed')))).toEqual([
      true,
      false,
      true,
    ]);
    expect(rankingsOf(disturbed)[0]?.table.rows[0]?.join(' ')).toMatch(/× \[[^\]]+\] disturbed/);
    expect(answerOf(disturbed).findings.filter((text) => text.endsWith(' (disturbed).'))).toHaveLength(2);
  });
});

test('a quarter of a cell’s trials disturbs nothing, and is still in the line', () => {
  const summary = runWith(1, { stealShare: 0.1 });
  expect(summary.verdict.disturbed).toBe(false);
  expect(summary.comparisons.filter(({ disturbed }) => disturbed)).toEqual([]);
  expect(answerOf(summary).host).toBe('Host: of 12 trials, the hypervisor took over 2 % in 1.');
  expect(answerOf(runWith(0, {})).host).toBe('Host: quiet in all 12 trials.');
});

test('the run’s own load on the processors is said, and disturbs nothing', () => {
  const busy = runWith(4, { busyShare: 1 });
  expect(busy.verdict.disturbed).toBe(false);
  expect(answerOf(busy).host).toBe('Host: of 12 trials, the processors were over 95 % busy in 4.');
});

test('what was not observed is never called quiet', () => {
  const unseen = runWith(4, { foreignShare: null, foreignMost: null });
  expect(answerOf(unseen).host).toBe('Host: of 12 trials, other processes were not observed in 4.');
  const nowhere = summarize(runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1000 })));
  expect(answerOf(nowhere).host).toContain('not observed in 12');
});

describe('CPU time of an operation that differs from trial to trial', () => {
  /** In each fourth trial of the cell the client and the servers take so many times their usual CPU time. */
  const lineOf = (client: number, servers: number): string | null =>
    answerOf(
      summarize(
        runOf(plan, (cell, round) => {
          const trial = trialOn(cell, round, {});
          const [ofClient, ofServers] = round === 3 ? [client, servers] : [1, 1];
          const { applied } = trial.result.window;
          const cpuUs = {
            client: 10 * applied * ofClient,
            appServer: null,
            pooler: null,
            database: 100 * applied * ofServers,
          };
          return { ...trial, cpuUs };
        }),
      ),
    ).host;

  test('is said where the load client and the servers are slower alike', () => {
    expect(lineOf(1.6, 1.4)).toBe(
      'Host: quiet in all 12 trials. An operation took 1 to 1.4 × its usual CPU time, in the load client and the servers alike: the processors were probably not equally fast in all trials.',
    );
  });

  test('is not said where only one of them is slower, or both hardly', () => {
    expect(lineOf(1, 2)).toBe('Host: quiet in all 12 trials.');
    expect(lineOf(0.5, 2)).toBe('Host: quiet in all 12 trials.');
    expect(lineOf(1.1, 1.1)).toBe('Host: quiet in all 12 trials.');
  });
});

test('a load agent’s machine disturbs like the runner’s', () => {
  const summary = summarize(
    runOf(plan, (cell, round) => {
      const trial = trialOn(cell, round, {});
      if (cell.target !== 'beta-http') return trial;
      const shares = { sessionFirst: 0, sessionCount: 1, applied: 1, cores: 2, cpuUserUs: 0, cpuSystemUs: 0 };
      const clock = {
        windowSkewMs: 0,
        clockErrorMs: 0,
        roundTripMs: 0,
        heardAfterMs: 0,
        windowMs: 1,
        windowMsHeard: 1,
      };
      const host = { ...quiet, foreignShare: 0.2, foreignMost: { command: 'backup', share: 0.2 } };
      const result = { ...trial.result, agents: [{ name: 'a1', ...shares, ...clock, utilization: 0, host }] };
      const { warnings } = trialOn(cell, round, { foreignShare: hostBounds.foreignShareMax * 2 });
      return { ...trial, result, warnings };
    }),
  );
  expect(summary.disturbance).toMatchObject({
    foreign: 4,
    foreignMost: [{ command: 'backup', trials: 4 }],
    cells: ['beta-http-a0.5-d1-s50'],
  });
});

test('a shared host is said with the runs that used it', () => {
  const shared = { ...plan, sharedHost: { beside: ['pid 7, npm run fair-bench in /home/a'] } };
  expect(answerOf(runWith(0, {}, shared)).host).toBe(
    'Host: quiet in all 12 trials. The host was shared (--share-host), with pid 7, npm run fair-bench in /home/a.',
  );
});
