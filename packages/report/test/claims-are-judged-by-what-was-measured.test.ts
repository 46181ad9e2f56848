import type { Claim, ClaimResult } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { answerOf } from '../src/answer.ts';
import { claimOf } from './support/claims.ts';
import { renderMarkdown, renderTerminal } from '../src/index.ts';
import { summarize } from '@fair-bench/analysis';
import { passedTrial, outcomeOf, planOf, present, runOf, voidTrial } from '@fair-bench/analysis/test-support';

const plan = planOf({ targets: ['slow-http', 'fast-http'] });
const [slow, fast] = [present(plan.cells[0]), present(plan.cells[1])];

const breaksDepth = { breaks: [{ rule: 'F5', why: 'depth 40 for one alone' }] };

/** A run in which the fast target is six times as fast, within a few per cent. */
function summaryOf(claim: Claim, isVoid = false) {
  const figures = [
    { id: 'slow', reading: null, cellId: slow.id, notes: [] },
    { id: 'fast', reading: null, cellId: fast.id, notes: ['the claim’s runtime bun is unavailable here'] },
    { id: 'absent', reading: null, cellId: null, notes: ['there is no connector absent-http here'] },
  ];
  return summarize(
    runOf(
      { ...plan, mode: 'published' },
      (cell, round) =>
        isVoid && cell === fast && round === 1
          ? voidTrial({ cell, round })
          : passedTrial({ cell, round, applied: (cell === fast ? 12_000 : 2000) + 20 * round }),
      { question: { claim: { claim, figures } } },
    ),
  );
}

function resultOf(claim: Claim, isVoid = false): ClaimResult {
  return present(summaryOf(claim, isVoid).claim);
}

describe('a claim, measured at six times', () => {
  test.each([
    ['of about 6 that breaks no rule is supported', 6, {}, 'supported'],
    ['of about 7 is supported, because another machine changes a ratio by as much', 7, {}, 'supported'],
    ['of about 3 is contradicted: more was measured', 3, {}, 'contradicted'],
    ['of about 6 by a deeper pipeline is supported', 6, breaksDepth, 'supported'],
    ['of about 14 is contradicted', 14, {}, 'contradicted'],
    ['of about 7.49 is undecided at the edge', 7.49, {}, 'undecided'],
    ['that it costs half is contradicted', 0.5, {}, 'contradicted'],
  ] as const)('%s', (_what, claimed, changes, verdict) => {
    const result = resultOf(claimOf(claimed, changes));
    expect(result.verdict).toBe(verdict);
    expect(result.measured?.ratio).toBeCloseTo(6, 1);
    expect(result.because).toMatch(/(?:above|below|includes) /);
    expect(result.differs[0]).toMatch(/^windows took .* s here, 10 s in the claim$/);
  });

  test.each([
    [{ cores: 5000 }, /^Fast needs 5000 processors, and this machine has \d+: it is so large$/],
    [
      { memoryMb: 2 ** 30 },
      /^Fast needs 1073741824 MiB of memory, and this machine has \d+: it is so large$/,
    ],
  ])(
    'that needs more than this machine has (%j) is not measurable here, whatever was measured',
    (much, said) => {
      const needing = (needs: { cores?: number; memoryMb?: number }): Partial<Claim> => ({
        figures: claimOf(3).figures.map((figure) =>
          figure.id === 'fast'
            ? { ...figure, needs: { cores: 1, memoryMb: 1, ...needs, why: 'it is so large' } }
            : figure,
        ),
      });
      const { because, verdict } = resultOf(claimOf(3, needing(much)));
      expect(verdict).toBe('not measurable here');
      expect(because).toMatch(said);
      expect(resultOf(claimOf(3, needing({}))).verdict).toBe('contradicted');
    },
  );

  test('with an assumed setting says so beside its verdict', () => {
    const settings = claimOf(6).settings.map((one) =>
      one.setting === 'depth' ? { ...one, is: 'assumed' as const, where: 'no page says it' } : one,
    );
    expect(resultOf(claimOf(6, { settings })).differs.join('\n')).toContain(
      'assumed: depth: no page says it',
    );
  });

  test('of at least 3 is exceeded', () => {
    const [statement] = claimOf(3).statements;
    const result = resultOf(claimOf(3, { statements: [{ ...present(statement), kind: 'at least' }] }));
    expect(result).toMatchObject({ verdict: 'exceeded', kind: 'at least' });
  });

  test('that breaks rules says which beside its verdict', () => {
    expect(resultOf(claimOf(6, breaksDepth)).differs.join()).toContain(
      "the claim's own settings, used here, break F5",
    );
  });

  test('names both machines in the sentence of its verdict, and that it is of one run', () => {
    const { headline } = answerOf(summaryOf(claimOf(6)));
    expect(headline).toMatch(
      /^Claimed about 6 × on one desktop; here, in this run on \d+ cores? \(.+\): [\d.]+ × \[.+\], supported$/,
    );
  });

  test('that is undecided says what would decide it, in rounds and in time', () => {
    const { because, toDecide } = resultOf(claimOf(7.49));
    expect(because).toMatch(
      /its interval includes 5\.99 × \(0\.8 of the claim\); about \d+ rounds \(\d+ (s|min|h)\) would/,
    );
    expect(toDecide?.rounds).toBeGreaterThan(3);
    // Three rounds took three minutes.
    expect(toDecide?.seconds).toBeCloseTo((toDecide?.rounds ?? 0) * 60, 6);
  });
});

test('an interval that reaches further than the bound supports nothing, though all of it is above the claim', () => {
  const wide = runOf(
    { ...plan, mode: 'published' },
    (cell, round) =>
      passedTrial({ cell, round, applied: cell === fast ? ([300_000, 500_000, 900_000][round] ?? 0) : 2000 }),
    {
      question: {
        claim: {
          claim: claimOf(6, { statements: [{ ...present(claimOf(6).statements[0]), kind: 'at least' }] }),
          figures: [slow, fast].map(({ id }, i) => ({
            id: i === 0 ? 'slow' : 'fast',
            reading: null,
            cellId: id,
            notes: [],
          })),
        },
      },
    },
  );
  const { verdict, measured, because } = present(summarize(wide).claim);
  expect(measured?.ci95?.[0]).toBeGreaterThan(6);
  expect(verdict).toBe('undecided');
  expect(because).toMatch(/more than 1\.5 × supports nothing; about \d+ rounds/);
});

test('without a number at one end nothing is judged, for the reason of the cell', () => {
  const result = resultOf(claimOf(6), true);
  expect(result).toMatchObject({ verdict: 'not measured', measured: null });
  expect(result.because).toContain('Fast: void: round 2: a transfer was applied twice');
  expect(result.figures[1]).toMatchObject({ measuredTps: null, ci95: null });
});

test('an unavailable target leaves its figure and its reason', () => {
  const targets = [outcomeOf('slow-http'), outcomeOf('fast-http', { facts: null, unavailable })];
  const claim = claimOf(6);
  const input = runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 2000 }), {
    targets,
    question: {
      claim: {
        claim,
        figures: ['slow', 'fast'].map((id, index) => ({
          id,
          reading: null,
          cellId: [slow, fast][index]?.id ?? null,
          notes: [],
        })),
      },
    },
  });
  const trials = input.trials.filter(({ cellId }) => cellId !== fast.id);
  const { figures, verdict } = present(summarize({ ...input, trials }).claim);
  expect(verdict).toBe('not measured');
  expect(figures[1]?.note).toContain('Fast: unavailable: no server was found');
});
const unavailable = { reason: 'no server was found', remedy: 'start one' };

test('every output has claimed and measured ratio, the rules, and each figure with its note', () => {
  const summary = summaryOf(claimOf(6, breaksDepth));
  const outputs = [
    renderTerminal(summary, { color: false, width: 400, verbose: true }),
    renderMarkdown(summary),
  ];
  for (const text of outputs) {
    expect(text).toContain('Claim a-claim: supported in this run');
    expect(text).toContain('6.00 ×');
    expect(text).toContain('F5: depth 40 for one alone');
    expect(text).toContain('the claim’s runtime bun is unavailable here');
    expect(text).toContain('there is no connector absent-http here');
    expect(text).toContain('table 1, row slow');
  }
});

test('the waterfall of a gap is in every output, and a gap without one end is reported', () => {
  const explain = {
    from: 'slow-http[depth=1]',
    to: 'fast-http[depth=1]',
    changes: [{ name: 'hop', from: 'rpc-server', to: 'none', isArchitecture: false }],
    cells: [
      { mask: 0, cellId: slow.id },
      { mask: 1, cellId: fast.id },
    ],
    groups: [[0]],
    merged: [],
    possible: [0, 1],
    withArchitecture: [],
    ofOneSystem: [],
    skipped: [{ cell: 'slow-http with rain', reason: 'impossible: it is dry' }],
  };
  const explained = { ...plan, mode: 'explain' as const };
  const trialOf = (applied: number) => (cell: typeof slow, round: number) =>
    passedTrial({ cell, round, applied: cell === fast ? applied : 2000 });
  const summary = summarize(runOf(explained, trialOf(12_000), { question: { explain } }));
  for (const text of [
    renderTerminal(summary, { color: false, width: 400, verbose: true }),
    renderMarkdown(summary),
  ]) {
    expect(text).toContain('Where the gap comes from');
    expect(text).toContain('RPC server → none');
    expect(text).toContain('6.00 ×');
    expect(text).toContain('slow-http with rain: impossible: it is dry');
  }
  const none = summarize(
    runOf(explained, (cell, round) => voidTrial({ cell, round }), { question: { explain } }),
  );
  expect(none.explanation).toBeUndefined();
  expect(renderMarkdown(none)).toContain('No explanation: one of the two ends has no number in this run.');
});
