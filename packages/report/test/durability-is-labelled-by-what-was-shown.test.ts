import type { Facts } from '@fair-bench/contract';
import {
  type CommitProbe,
  type DurabilityEvidence,
  type KillTest,
  type KnownLoss,
  type PowerCuts,
  type RunSummary,
  runSummarySchema,
} from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { summarize } from '@fair-bench/analysis';
import { renderHtml } from '../src/html.ts';
import { renderMarkdown } from '../src/markdown.ts';
import { renderTerminal } from '../src/terminal.ts';
import { factsOf, passedTrial, outcomeOf, planOf, present, runOf } from '@fair-bench/analysis/test-support';

const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
const profile = [{ setting: 'confirmed', accepted: ['true'], reason: 'a commit must wait for the disk' }];
const requested = {
  settings: { sync: 'on', journal: 'wal' },
  requested: { confirmed: 'true' },
  durabilityBasis: { status: 'requested', request: 'confirmed=true' },
} as const;

const commits = (
  flushesPerOperation: number | null,
  afterFlushShare: number | null,
  atLoad: CommitProbe['atLoad'] = null,
): CommitProbe => ({ operations: 500, latencyMsP50: 3, flushesPerOperation, afterFlushShare, atLoad });
const loaded = (flushesPerOperation: number, afterFlushShare: number) => ({
  outstanding: 50,
  operations: 2_000,
  flushesPerOperation,
  afterFlushShare,
});
const shown = { durable: commits(1.2, 1, loaded(0.05, 1)), async: commits(0.01, 0.04) };
const unknown: DurabilityEvidence = {
  target: 'beta-http',
  syncMs: 2,
  levels: null,
  failure: null,
  killTest: null,
};
const kept = { outcome: 'kept', acknowledged: 9000, inDoubt: 128, couldHide: 3, rowsUnexplained: 0 } as const;
const killTest: KillTest = {
  connector: 'beta-http',
  level: 'durable',
  batch: 1,
  system: 'beta',
  version: '1.2',
  fileSystem: 'ext4',
  workload: 'transfer',
  measuredAt: '2026-11-22T02:00:00.000Z',
  kills: [kept, kept],
  commits: commits(1.1, 0.98),
};
const lost = { ...killTest, kills: [kept, { ...kept, outcome: 'lost', rowsUnexplained: 12 } as const] };

/** A run in which beta's durability was only requested, beside alpha, which said its own. */
function summaryWith(evidence: Partial<DurabilityEvidence>, changes: Partial<Facts> = {}): RunSummary {
  const beta = factsOf('beta', { ...requested, ...changes });
  const targets = [outcomeOf('alpha-http'), outcomeOf('beta-http', { facts: beta, fairProfile: profile })];
  const trialOf = (cell: (typeof plan.cells)[number], round: number) =>
    passedTrial({
      cell,
      round,
      applied: 1000 + round,
      ...(cell.target === 'beta-http' ? { facts: beta } : {}),
    });
  return summarize(runOf(plan, trialOf, { targets, durability: [{ ...unknown, ...evidence }] }));
}

function outputsOf(summary: RunSummary): readonly string[] {
  const trials = plan.cells.map((cell) => passedTrial({ cell, round: 0, applied: 1000 }));
  return [
    renderTerminal(summary, { color: false, width: 400, verbose: true }),
    renderMarkdown(summary),
    renderHtml(summary, trials),
  ];
}

const basisOf = ({ parity }: RunSummary) =>
  present(parity.find(({ subject }) => subject === 'what durability is known by'));

test('durability that was only requested is called requested in every output, and is NOT FAIR by F12', () => {
  const summary = summaryWith({});
  expect(summary.verdict.differences.map(({ rule }) => rule)).toEqual(['F12']);
  expect(basisOf(summary).values).toEqual({
    'alpha-http': 'read from the live system',
    'beta-http': 'requested, not observed',
  });
  expect(present(summary.durability)[0]?.basis.status).toBe('requested');
  const rowOf = (name: string) => summary.parity.find(({ subject }) => subject === name);
  expect(rowOf('durability before acknowledgement')?.bases?.['beta-http']?.status).toBe('requested');
  expect(rowOf('confirmed')?.bases?.['beta-http']?.status).toBe('requested');
  expect(runSummarySchema.parse(summary)).toEqual(summary);
  for (const output of outputsOf(summary)) {
    expect(output).toContain('durable (requested, not observed)');
    expect(output).toContain('true (requested, not observed)');
  }
  expect(renderTerminal(summary, { color: false, width: 100, verbose: false })).toContain(
    'confirmed=true is our own',
  );
});

test('acknowledged after a flush, and asynchronous ones before it: observed, and FAIR', () => {
  const summary = summaryWith({ levels: shown });
  expect(summary.verdict.fair).toBe(true);
  expect(basisOf(summary).values['beta-http']).toBe('requested and observed');
  for (const output of outputsOf(summary)) {
    expect(output).toContain('durable (requested and observed)');
    expect(output).toContain('100 % of durable commits were acknowledged after a flush');
    expect(output).toContain('of durable ones with 50 outstanding 100 %; it was not killed under load');
  }
});

describe('power cuts', () => {
  const own: PowerCuts = {
    connector: 'beta-http',
    level: 'durable',
    batch: 1,
    system: 'beta',
    version: '1.2',
    workload: 'transfer',
    measuredAt: '2026-11-27T02:00:00.000Z',
    cuts: 5,
    lossy: 0,
    undecided: 0,
    acknowledged: 9000,
  };
  const otherLevel: PowerCuts = { ...own, level: 'async', lossy: 4 };
  const statusOf = (powerCuts: NonNullable<DurabilityEvidence['powerCuts']>, changes: Partial<Facts> = {}) =>
    present(summaryWith({ powerCuts }, changes).durability[0]).basis.status;

  test('observed: none lost anything, and those of the async level did', () => {
    expect(statusOf({ own, otherLevel })).toBe('observed');
    for (const output of outputsOf(summaryWith({ powerCuts: { own, otherLevel } })))
      expect(output).toContain(
        'none of 5 power cuts on 2026-11-27 lost anything, and 4 of 5 did without flushes',
      );
  });

  test.each([
    ['the async level was not cut', { own, otherLevel: null }],
    ['the async level lost nothing either', { own, otherLevel: { ...otherLevel, lossy: 0 } }],
    ['there were two cuts', { own: { ...own, cuts: 2 }, otherLevel }],
    ['one decided nothing', { own: { ...own, undecided: 1 }, otherLevel }],
  ])('it stays requested where %s', (_, powerCuts) => {
    expect(statusOf(powerCuts)).toBe('requested');
  });

  test('one that lost something refutes the level, also where the live system reports it', () => {
    const lossy = { own: { ...own, lossy: 1 }, otherLevel };
    expect(statusOf(lossy)).toBe('refuted');
    expect(statusOf(lossy, { durabilityBasis: { status: 'read' } })).toBe('refuted');
    expect(statusOf({ own, otherLevel }, { durabilityBasis: { status: 'read' } })).toBe('read');
  });

  test('what others have published of the version stands under the table, with its source', () => {
    const loss: KnownLoss = {
      system: 'beta',
      versions: ['1.2'],
      fault: 'power-cut',
      what: 'the end of its log is lost',
      mended: null,
      source: 'https://example.org/1',
    };
    for (const output of outputsOf(summaryWith({ knownLosses: [loss] })))
      expect(output).toContain(
        'Known of beta-http (beta 1.2): the end of its log is lost; https://example.org/1',
      );
  });
});

describe('it stays requested where', () => {
  test.each([
    ['the disk counts no flushes', { durable: commits(null, null), async: commits(null, null) }, /count its/],
    ['others flush the disk', { durable: commits(1, null), async: commits(1, null) }, /others flush it/],
    ['durable commits do not flush', { durable: commits(0.02, 1), async: commits(0, 0) }, /costs 0.02/],
    [
      'one durable commit in ten is acknowledged before its flush',
      { durable: commits(1, 0.9), async: commits(1, 0.1) },
      /10 % of durable commits were acknowledged before/,
    ],
    [
      'asynchronous commits come after a flush too, because the server is slow',
      { durable: commits(1, 1), async: commits(1, 0.9) },
      /too alike/,
    ],
    [
      'one durable commit in ten is acknowledged before a flush under load',
      { durable: commits(1, 1, loaded(0.1, 0.9)), async: commits(0, 0) },
      /10 % of durable commits with 50 outstanding were acknowledged before/,
    ],
    [
      'a flush covers more commits than are outstanding',
      { durable: commits(1, 1, loaded(0.01, 1)), async: commits(0, 0) },
      /one flush covered 100 of durable commits with 50 outstanding/,
    ],
  ])('%s', (_what, levels, because) => {
    const summary = summaryWith({ levels });
    expect(summary.verdict.fair).toBe(false);
    expect(present(summary.durability)[0]?.basis).toMatchObject({
      status: 'requested',
      because: expect.stringMatching(because),
    });
  });

  test('kills lost nothing, but the flushes of a commit were not counted: it outlived a process, not a power cut', () => {
    const { basis } = present(
      present(summaryWith({ killTest: { ...killTest, commits: null } }).durability)[0],
    );
    expect(basis.status).toBe('requested');
    expect(basis.because).toContain('not a power cut');
  });

  test('a kill could not be decided', () => {
    const kills = [kept, { ...kept, outcome: 'undecided' as const }];
    const { basis } = present(present(summaryWith({ killTest: { ...killTest, kills } }).durability)[0]);
    expect(basis.status).toBe('requested');
  });
});

test('the remedy is a kill test where that could show it, and else a disk that can', () => {
  const remedyOf = (durable: ReturnType<typeof commits>) =>
    summaryWith({ levels: { durable, async: commits(1, 0.9) } }).verdict.differences[0]?.message;
  expect(remedyOf(commits(1, 1))).toContain('npm run kill-test -- --systems beta-http');
  expect(remedyOf(commits(null, null))).toContain('on a disk that counts flushes');
});

test('where both levels look alike, a kill test that lost nothing makes it observed', () => {
  const levels = { durable: commits(1, 1), async: commits(1, 0.9) };
  const summary = summaryWith({ levels, killTest });
  expect(summary.verdict.fair).toBe(true);
  for (const output of outputsOf(summary)) expect(output).toContain('2 kills, 18,000 acknowledged');
});

test('a kill test that lost something breaks F1, whatever the live system says', () => {
  for (const durabilityBasis of [requested.durabilityBasis, { status: 'read' } as const]) {
    const summary = summaryWith({ levels: shown, killTest: lost }, { durabilityBasis });
    expect(summary.verdict.differences.map(({ rule }) => rule)).toEqual(['F1']);
    expect(summary.verdict.differences[0]?.message).toContain('1 of 2 kills on 2026-11-22 lost');
  }
});

test('asynchronous commits that were requested are labelled, and claim nothing', () => {
  const changes = {
    durability: 'async',
    requested: { confirmed: 'false' },
    durabilityBasis: { status: 'requested', request: 'confirmed=false' },
  } as const;
  const summary = summaryWith({ killTest: { ...lost, level: 'async' } }, changes);
  expect(summary.verdict.differences.map(({ rule }) => rule)).toEqual(['F1', 'F13']);
  for (const output of outputsOf(summary)) expect(output).toContain('async (requested, not observed)');
});
