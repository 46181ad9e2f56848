import {
  type Anomaly,
  anomalySchema,
  type Isolation,
  type IsolationFinding,
  noAnomalies,
} from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import { judge } from '../src/audit/judge.ts';
import { observedInTrials } from '../src/isolation/observed.ts';
import { assessParity } from '../src/parity/assess-parity.ts';
import { summarize } from '../src/summary/summarize.ts';
import { soundEvidence, soundFacts } from '../src/test-support/evidence.ts';
import {
  factsOf,
  outcomeOf,
  passedTrial,
  planOf,
  present,
  runOf,
} from '../src/test-support/trial-records.ts';

const seen = (...anomalies: Anomaly[]): IsolationFinding => ({
  operations: 1000,
  anomalies: { ...noAnomalies, ...Object.fromEntries(anomalies.map((anomaly) => [anomaly, 3])) },
  examples: anomalies.map((anomaly) => `${anomaly}: T1 rw → T2`),
});

/** By the definitions of Adya (2000), and of snapshot isolation by Berenson et al. (1995). */
const permits: Readonly<Record<Isolation, readonly Anomaly[]>> = {
  'read-uncommitted': ['G1a', 'G1b', 'G1c', 'lost-update', 'G-single', 'G2-item', 'real-time'],
  'read-committed': ['lost-update', 'G-single', 'G2-item', 'real-time'],
  snapshot: ['G2-item', 'real-time'],
  'repeatable-read': ['real-time'],
  serializable: ['real-time'],
};

function codesAt(isolation: Isolation, finding: IsolationFinding | null): string[] {
  const facts = { ...soundFacts, isolation };
  const state = { ...soundEvidence.state, ...(finding === null ? {} : { isolation: finding }) };
  const evidence = { ...soundEvidence, state, factsBefore: facts, factsAfter: facts };
  return judge(evidence).flatMap(({ severity, code }) => (severity === 'void' ? [code] : []));
}

describe.each(Object.entries(permits))('%s', (level, permitted) => {
  test.each(anomalySchema.options)('%s', (anomaly) => {
    const isolation = present(Object.keys(permits).find((each): each is Isolation => each === level));
    expect(codesAt(isolation, seen(anomaly))).toEqual(permitted.includes(anomaly) ? [] : ['isolation']);
  });
});

test('the reason names the level, the anomalies with their counts, and an example', () => {
  const facts = { ...soundFacts, isolation: 'serializable' as const };
  const state = { ...soundEvidence.state, isolation: seen('lost-update', 'G2-item', 'real-time') };
  const [found] = judge({ ...soundEvidence, state, factsBefore: facts, factsAfter: facts });
  expect(found?.message).toBe(
    'serializable forbids what 1000 operations showed: 3 lost update, 3 G2-item (lost-update: T1 rw → T2; G2-item: T1 rw → T2)',
  );
});

test('a workload without versions is not judged by it', () => {
  expect(codesAt('serializable', null)).toEqual([]);
});

describe('F14 says what was observed', () => {
  const plan = planOf({ targets: ['alpha-http'] });
  const cell = present(plan.cells[0]);
  const stored = {
    connector: 'alpha-http',
    system: 'alpha',
    version: '1.2',
    level: 'read-committed' as const,
    workload: 'isolation',
    outstandingMax: 50,
    trials: 2,
    operations: 12_345,
    anomalies: { ...noAnomalies, 'lost-update': 7, 'G2-item': 1 },
    observedAt: '2026-01-02T00:00:00.000Z',
  };
  const run = (isolation: IsolationFinding | null, outcome: Parameters<typeof outcomeOf>[1] = {}) => ({
    ...runOf(plan, (one, round) => {
      const trial = passedTrial({ cell: one, round, applied: 1000 });
      return isolation === null ? trial : { ...trial, audit: { ...trial.audit, isolation } };
    }),
    targets: [outcomeOf('alpha-http', outcome)],
  });
  const shown = (input: ReturnType<typeof run>) => {
    const { parity, verdict, isolation } = summarize(input);
    const row = present(parity.find(({ rule }) => rule === 'F14'));
    return { text: row.values['alpha-http'], verdict, isolation };
  };

  test('in this run, over its trials', () => {
    const { text, verdict, isolation } = shown(run(seen('G-single', 'G2-item')));
    expect(text).toMatch(
      /^read committed; observed: G-single, G2-item \(3,000 operations, 50 at a time, .*\); 3 audits passed/,
    );
    expect(verdict.differences.map(({ rule }) => rule)).not.toContain('F14');
    expect(isolation).toMatchObject([
      { target: 'alpha-http', observed: { operations: 3000, anomalies: { 'G-single': 9 } } },
    ]);
  });

  test('in an earlier run of exactly this route, version and level', () => {
    expect(shown(run(null, { isolation: stored })).text).toMatch(
      /^read committed; observed: lost update, G2-item \(12,345 operations, 50 at a time, 2026-01-02\)/,
    );
  });

  test('nowhere', () => {
    expect(shown(run(null)).text).toMatch(/^read committed; not observed; 3 audits passed/);
  });

  test('although the level forbids it: not fair', () => {
    const facts = factsOf('alpha', { isolation: 'serializable' });
    const trials = run(null).trials.map((trial) =>
      trial.status === 'ok' ? { ...trial, factsBefore: facts, factsAfter: facts } : trial,
    );
    const input = { ...run(null, { facts, isolation: { ...stored, level: 'serializable' } }), trials };
    expect(shown(input).verdict.differences).toMatchObject([
      {
        rule: 'F14',
        message: 'the level in force forbids what was observed: alpha-http showed lost update, G2-item',
      },
    ]);
  });

  test('of void trials too, which are stored', () => {
    const { trials, ...rest } = run(null);
    const voids = trials.map(({ cellId, round }) => ({
      status: 'void' as const,
      cellId,
      round,
      reason: 'serializable forbids it',
      audit: { ...present(trials[0]?.audit ?? undefined), isolation: seen('lost-update') },
      facts: factsOf('alpha', { isolation: 'serializable' }),
      warnings: [],
    }));
    expect(observedInTrials({ ...rest, trials: voids })).toMatchObject([
      {
        connector: 'alpha-http',
        level: 'serializable',
        trials: 3,
        operations: 3000,
        anomalies: { 'lost-update': 9 },
      },
    ]);
  });

  test('by one operation at a time, nothing', () => {
    const alone = { ...plan, cells: plan.cells.map((one) => ({ ...one, sessions: 1, depth: 1 })) };
    expect(observedInTrials({ ...run(seen('G-single')), plan: alone })).toEqual([]);
    expect(observedInTrials({ ...run(seen('G-single')), plan })).toHaveLength(1);
  });

  test('with parity alone, nothing was observed', () => {
    const { rows } = assessParity(run(seen('G-single')));
    expect(rows.find(({ rule }) => rule === 'F14')?.values[cell.target]).toMatch(/not observed/);
  });
});
