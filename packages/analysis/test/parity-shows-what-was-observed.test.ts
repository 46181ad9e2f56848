import type { Facts } from '@fair-bench/contract';
import type { Mode, Observed } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { assessParity } from '../src/parity/assess-parity.ts';
import {
  factsOf,
  outcomeOf,
  passedTrial,
  planOf,
  present,
  runOf,
  type TrialShape,
} from '../src/test-support/trial-records.ts';

const plan = planOf({ targets: ['alpha-http'] });
const cell = present(plan.cells[0]);

/** What the table says of a subject where every round was the same trial, except for this. */
function shownOf(
  subject: string,
  change: (round: number) => Parameters<typeof passedTrial>[1],
  shape: Partial<TrialShape> = {},
): string | undefined {
  const cells = [shape.cell ?? cell];
  const run = runOf({ ...plan, cells }, (one, round) =>
    passedTrial({ cell: one, round, applied: 1000, ...shape }, change(round)),
  );
  const row = assessParity(run).rows.find((one) => one.subject === subject);
  return present(row).values['alpha-http'];
}

/** The same of three rounds, of which each was observed in its own way. */
function seenAs(subject: string, rounds: readonly Partial<Observed>[]): string | undefined {
  const { observed } = passedTrial({ cell, round: 0, applied: 1000 });
  return shownOf(subject, (round) => ({ observed: { ...observed, ...rounds[round] } }));
}

test.each<[string, string[], string]>([
  ['none', [], 'none in 150 looks'],
  ['one', ['transaction 5'], 'some in 150 looks'],
])('%s of the commits that others saw was not flushed', (_, found, words) => {
  const rounds = [{}, { unflushed: { looks: 50, found } }, {}];
  expect(seenAs('commits visible to others before they were flushed', rounds)).toBe(words);
});

test('the longest delay of a canary counts, of the rounds in which it is known', () => {
  const canaries = present(passedTrial({ cell, round: 0, applied: 1000 }).observed.canaries ?? undefined);
  const after = (...delays: (number | null)[]) =>
    seenAs(
      'acknowledged operations visible to another connection at once',
      delays.map((readAfterMsMax) => ({ canaries: { ...canaries, readAfterMsMax } })),
    );
  expect(after(1.25, 9.75, null)).toBe('18 of 18, read within 9.8 ms');
  expect(after(null, null, null)).toBe('18 of 18');
});

describe('the readings of the work done are shown with the lead that they could hide', () => {
  const subject = 'readings of the work done';
  const { observed, result } = passedTrial({ cell, round: 0, applied: 4_000 });
  // 2,000 a second, counted in slots of 10 ms.
  const read = (afterMs: readonly number[], readMs: number, endMs: number): string | undefined =>
    shownOf(
      subject,
      () => ({
        result: { ...result, replySlots: { ...result.replySlots, slotMs: 10, counts: [20, 20] } },
        observed: {
          ...observed,
          committedAtWindowEnd: { count: 4_000, readMs: endMs },
          committedInWindow: afterMs.map((each) => ({ afterMs: each, count: 0, readMs })),
        },
      }),
      { applied: 4_000 },
    );

  test('a reading of 1 ms, 3.7 ms after a slot of replies ended, hides 10 operations at 2,000 a second', () => {
    expect(read([503.8, 1_006.1, 1_503.9], 1, 20)).toBe(
      'every 500 ms, within 20.0 ms; could hide a lead of about 10 operations, or of about 1000 between two readings',
    );
  });

  test('one that took 20 ms, once a second, hides 50 operations all the time', () => {
    expect(read([1_004.8], 20, 30)).toMatch(
      /could hide a lead of about 50 operations, or of about 2000 between/,
    );
  });

  test('where the system counts nothing, any lead is hidden', () => {
    expect(
      seenAs(subject, [
        { committedAtWindowEnd: null },
        { committedAtWindowEnd: null },
        { committedAtWindowEnd: null },
      ]),
    ).toBe('not observed: any lead');
  });
});

describe('weak evidence is called weak', () => {
  const facts = factsOf('alpha', { writersMax: 640 });
  const deep = { cell: { ...cell, sessions: 16, depth: 40 }, facts };
  const flushesOf = (applied: number) =>
    shownOf('flushes that durable commits demand', () => ({}), { ...deep, applied });
  const countedBy = (inFlight: { peak: number } | null) =>
    shownOf('operations outstanding, counted by', () => ({ inFlight }), deep);

  test('16 × 40 outstanding demand 77 flushes for 54,822 a second: too weak', () => {
    const [operation] = passedTrial({ cell, round: 0, applied: 109_644 }).result.operations;
    expect(operation?.window.applied).toBe(109_644);
    expect(flushesOf(109_644)).toMatch(/^at least 77 to 77 a second; too weak .* 3 of 3 trials/);
    expect(flushesOf(200_000)).toBe('at least 140 to 140 a second');
  });

  test('concurrency that only the load client counted is not called counted at both ends', () => {
    expect(countedBy(null)).toBe('only the load client; not observed at the other end');
    expect(countedBy({ peak: 400 })).toBe('the load client, and the server: at most 400');
  });
});

describe('of a workload that only reads', () => {
  const { result } = passedTrial({ cell, round: 0, applied: 1_000 });
  const reading = {
    result: { ...result, operations: result.operations.map((each) => ({ ...each, writes: false })) },
  };

  test.each([
    'acknowledged operations visible to another connection at once',
    'done when the window ended',
    'readings of the work done',
    'commits visible to others before they were flushed',
    'rows that one transaction wrote last',
    'flushes that durable commits demand',
  ])('%s holds for nothing, and the table says so', (subject) => {
    expect(shownOf(subject, () => reading)).toBe('no operation writes');
    expect(shownOf(subject, () => ({}))).not.toBe('no operation writes');
  });

  test('durability that was only requested is no difference', () => {
    const requested = factsOf('alpha', {
      durabilityBasis: { status: 'requested', request: 'confirmed_reads=true' },
    });
    const broken = (change: Parameters<typeof passedTrial>[1]) => {
      const trialOf = (one: typeof cell, round: number) =>
        passedTrial({ cell: one, round, applied: 1_000, facts: requested }, change);
      const targets = [outcomeOf('alpha-http', { facts: requested })];
      return assessParity(runOf(plan, trialOf, { targets })).verdict.differences.map(({ rule }) => rule);
    };
    expect(broken({})).toEqual(['F12']);
    expect(broken(reading)).toEqual([]);
  });
});

test('the protocols of sampled calls are counted over the rounds', () => {
  const subject = 'statement protocol as the server saw it';
  const protocols = { prepared: 20, extended: 0, simple: 0 };
  expect(
    seenAs(subject, [{ protocols }, { protocols: { ...protocols, simple: 2 } }, { protocols: null }]),
  ).toBe('prepared in 40, simple in 2 sampled calls');
  expect(seenAs(subject, [{}, {}, {}])).toBe('not observed');
});

test('another statement protocol is a difference, among the targets that state one', () => {
  const two = planOf({ targets: ['alpha-http', 'beta-http'] });
  const broken = (alpha: Partial<Facts>, beta: Partial<Facts>, mode: Mode = 'fair') => {
    const facts = { 'alpha-http': factsOf('alpha', alpha), 'beta-http': factsOf('beta', beta) };
    const run = runOf(
      { ...two, mode },
      (one, round) => {
        const own = one.target === 'beta-http' ? facts['beta-http'] : facts['alpha-http'];
        return passedTrial({ cell: one, round, applied: 1_000, facts: own });
      },
      { targets: Object.entries(facts).map(([target, own]) => outcomeOf(target, { facts: own })) },
    );
    return assessParity(run).verdict.differences.map(({ rule }) => rule);
  };
  const [prepared, simple] = [{ statementProtocol: 'prepared' }, { statementProtocol: 'simple' }] as const;
  expect(broken(prepared, simple)).toEqual(['F51']);
  expect(broken(simple, simple)).toEqual([]);
  expect(broken(simple, {})).toEqual([]);
  expect(broken(prepared, simple, 'optimized')).toEqual([]);
});

describe('the connections of a pooler', () => {
  const subject = 'connections to the database, by their other end';
  const pooler = { requested: 'alpha', answers: 'alpha', version: '1.2', poolSize: 10 };
  const facts = factsOf('alpha', { pooler });
  const { observed } = passedTrial({ cell, round: 0, applied: 1000 });
  const looked = (pooledMost: number) => ({
    observed: { ...observed, pooling: { looks: 5, pooledMost, beside: [] } },
  });

  test('are shown with the most of all rounds', () => {
    expect(shownOf(subject, (round) => looked([4, 10, 7][round] ?? 0), { facts })).toBe(
      'at most 10 of the pooler’s process, and no session past it, in 15 looks',
    );
    expect(shownOf('database connections', () => looked(10), { facts })).toContain('alpha 1.2 with 10');
  });

  test('are not observed where nobody looked, and have no line where no target has a pooler', () => {
    expect(shownOf(subject, () => ({}), { facts })).toBe('not observed');
    expect(() => shownOf(subject, () => ({}))).toThrow('the test expected a value');
  });
});

test('of a server that was named by its URL nobody says that it is as it ships', () => {
  const facts = (target: string): Facts =>
    factsOf(target, { provider: target === 'beta-http' ? 'url' : 'embedded' });
  const named = planOf({ targets: ['alpha-http', 'beta-http'] });
  const { rows } = assessParity(
    runOf(named, (own, round) => passedTrial({ cell: own, round, applied: 1000, facts: facts(own.target) }), {
      targets: named.targets.map(({ target }) => outcomeOf(target, { facts: facts(target) })),
    }),
  );
  expect(rows.find(({ subject }) => subject === 'tuning profile')?.values).toEqual({
    'alpha-http': 'default',
    'beta-http': 'as its server has it',
  });
});
