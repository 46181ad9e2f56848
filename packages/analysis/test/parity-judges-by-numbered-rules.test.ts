import { existsSync, readFileSync } from 'node:fs';
import type { Cell, Mode, PassedTrial, SummaryInput, Verdict } from '@fair-bench/results';
import { settingsOfLoad } from '@fair-bench/results';
import type { Facts } from '@fair-bench/contract';
import { describe, expect, test } from 'vitest';
import { assessParity } from '../src/parity/assess-parity.ts';
import { rules } from '../src/parity/rules.ts';
import {
  factsOf,
  passedTrial,
  outcomeOf,
  planOf,
  runOf,
  voidTrial,
} from '../src/test-support/trial-records.ts';

const plan = planOf({ targets: ['alpha-http', 'beta-http'], depths: [1, 8] });

/** A run in which one target reports other facts, before and after every trial. */
function runWith(changes: Partial<Facts>): SummaryInput {
  return runOf(
    plan,
    (cell, round) => passedTrial({ cell, round, applied: 1000, facts: betaFacts(cell, changes) }),
    { targets: [outcomeOf('alpha-http'), outcomeOf('beta-http', { facts: factsOf('beta', changes) })] },
  );
}

function betaFacts(cell: Cell, changes: Partial<Facts>): Facts {
  return cell.target === 'beta-http' ? factsOf('beta', changes) : factsOf('alpha');
}

/** A run in which the trials of one target differ. */
function runWithTrials(changes: (trial: PassedTrial) => Partial<PassedTrial>): SummaryInput {
  return runOf(plan, (cell, round) => {
    const trial = passedTrial({ cell, round, applied: 1000 });
    return cell.target === 'beta-http' ? { ...trial, ...changes(trial) } : trial;
  });
}

function rulesBroken(verdict: Pick<Verdict, 'differences'>): readonly string[] {
  return verdict.differences.map(({ rule }) => rule);
}

test('equal targets that keep their profiles are fair', () => {
  const { rows, verdict } = assessParity(runWith({}));
  expect(verdict).toEqual({ fair: true, differences: [] });
  expect(rows.every(({ holds }) => holds)).toBe(true);
  expect(new Set(rows.map(({ rule }) => rule))).toEqual(
    // The lines of poolers, batches, encryption and limits of memory stand where a target has one.
    new Set<string>([
      ...Object.values(rules),
      ...settingsOfLoad().flatMap(({ of }) => of.parity?.rule ?? []),
    ]).difference(new Set<string>([rules.verdict, rules.pooler, 'F52', rules.memory, rules.cold, rules.tls])),
  );
  expect(rows.every(({ values }) => Object.keys(values).join() === 'alpha-http,beta-http')).toBe(true);
});

describe('FAIR-BENCHMARK.md', () => {
  const root = new URL('../../../', import.meta.url);
  const text = readFileSync(new URL('FAIR-BENCHMARK.md', root), 'utf8');

  test('has a heading for every rule of the code, in the order of their numbers', () => {
    const headings = [...text.matchAll(/^### (F\d+)\. /gm)].map(([, number]) => number);
    const numbers = headings.map((heading) => Number(heading?.slice(1)));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(headings).toEqual(expect.arrayContaining(Object.values(rules)));
  });

  test('names only files that exist', () => {
    const paths = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  test('refers only to rules that it has', () => {
    const named = [...text.matchAll(/\bF\d+\b/g)].map(([rule]) => rule);
    expect(named.filter((rule) => !text.includes(`### ${rule}. `))).toEqual([]);
  });
});

describe('a difference is', () => {
  test('a target that acknowledges before it is durable, with the values of all', () => {
    const { verdict, rows } = assessParity(runWith({ durability: 'async' }));
    expect(verdict).toMatchObject({ fair: false });
    expect(verdict.differences).toEqual([
      {
        rule: rules.durability,
        subject: 'durability before acknowledgement',
        values: { 'alpha-http': 'durable', 'beta-http': 'async' },
        message: expect.stringContaining('beta-http has async'),
      },
    ]);
    expect(rows.find(({ rule }) => rule === rules.durability)?.holds).toBe(false);
  });

  test('durability that is equal but absent: nobody is fair where nobody is durable', () => {
    const facts = factsOf('alpha', { durability: 'none' });
    const targets = plan.targets.map(({ target }) => outcomeOf(target, { facts }));
    const run = runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1000, facts }), { targets });
    expect(rulesBroken(assessParity(run).verdict)).toEqual([rules.durability]);
  });

  test('a single target that is not durable', () => {
    const alone = planOf({ targets: ['alpha-http'] });
    const facts = factsOf('alpha', { durability: 'none' });
    const targets = [outcomeOf('alpha-http', { facts, fairProfile: [] })];
    const run = runOf(alone, (cell, round) => passedTrial({ cell, round, applied: 1000, facts }), {
      targets,
    });
    expect(rulesBroken(assessParity(run).verdict)).toEqual([rules.durability]);
  });

  test.each(['tmpfs', 'ramfs', 'memory'])('durable commits claimed on %s', (fileSystem) => {
    const { verdict } = assessParity(runWith({ storage: { directory: '/dev/shm', fileSystem } }));
    expect(rulesBroken(verdict)).toEqual([rules.storage]);
    expect(verdict.differences[0]?.values['beta-http']).toBe(fileSystem);
  });

  test('a live setting that the fair profile does not accept, with the reason of the profile', () => {
    const { verdict, rows } = assessParity(runWith({ settings: { sync: 'off', journal: 'full' } }));
    expect(rulesBroken(verdict)).toEqual([rules.fairProfile]);
    expect(verdict.differences[0]).toMatchObject({ subject: 'sync', values: { 'beta-http': 'off' } });
    expect(verdict.differences[0]?.message).toContain('a commit must survive a power cut');
    expect(rows.find(({ subject }) => subject === 'journal')).toMatchObject({ holds: true, kind: 'profile' });
  });

  test('a setting of the profile that the live system does not have', () => {
    const { verdict } = assessParity(runWith({ settings: { journal: 'wal' } }));
    expect(rulesBroken(verdict)).toEqual([rules.fairProfile]);
    expect(verdict.differences[0]?.values['beta-http']).toBe('absent');
  });

  test.each([
    { journal: 'wal', broken: [rules.fairProfile] },
    { journal: 'off', broken: [] },
  ])('a setting that counts only while another is on: journal $journal', ({ journal, broken }) => {
    const settings = { sync: 'on', journal, journal_sync: '0' };
    const line = {
      setting: 'journal_sync',
      accepted: ['1'],
      when: { setting: 'journal', is: ['wal'] },
      reason: 'a journal must survive a power cut',
    };
    const run = runWith({ settings });
    const targets = run.targets.map((one) => ({
      ...one,
      fairProfile: one.target === 'beta-http' ? [line] : [],
    }));
    expect(rulesBroken(assessParity({ ...run, targets }).verdict)).toEqual(broken);
  });

  test('a setting that durability permits only to asynchronous commits, unless they have their own table', () => {
    const line = { setting: 'sync', accepted: ['on'], acceptedAsync: ['on', 'off'], reason: 'a power cut' };
    const run = runWith({ settings: { sync: 'off', journal: 'wal' } });
    const targets = run.targets.map((one) => ({ ...one, fairProfile: [line] }));
    const brokenIn = (mode: Mode, durability: 'async' | 'durable') => {
      const planned = plan.targets.map((one) => ({ ...one, durability }));
      return rulesBroken(
        assessParity({ ...run, targets, plan: { ...plan, mode, targets: planned } }).verdict,
      );
    };
    expect(brokenIn('fair', 'async')).toContain(rules.fairProfile);
    expect(brokenIn('optimized', 'durable')).toContain(rules.fairProfile);
    expect(brokenIn('optimized', 'async')).not.toContain(rules.fairProfile);
  });

  test('a pool that changed, unless a cell sets its own', () => {
    const smaller = factsOf('beta', { writersMax: 40 });
    const run = runWithTrials(({ round }) => (round === 1 ? { factsAfter: smaller } : {}));
    expect(rulesBroken(assessParity(run).verdict)).toEqual([rules.liveFacts]);
    const cells = plan.cells.map((cell) => ({ ...cell, poolSize: 20 }));
    expect(rulesBroken(assessParity({ ...run, plan: { ...plan, cells } }).verdict)).toEqual([]);
  });

  test('a fact that changed during a trial, also back to what it was', () => {
    const off = factsOf('beta', { settings: { sync: 'off', journal: 'wal' } });
    const run = runWithTrials(({ round }) => (round === 1 ? { factsAfter: off } : {}));
    const { verdict } = assessParity(run);
    expect(rulesBroken(verdict)).toEqual([rules.liveFacts, rules.fairProfile]);
    expect(verdict.differences[0]?.message).toMatch(
      /settings\.sync: on → off \(after beta-http.* in round 2\)/,
    );
    expect(verdict.differences[1]?.values['beta-http']).toBe('on → off');
  });

  test('a fact that changed between being ready and a trial that was void', () => {
    const trialFacts = factsOf('beta', { isolation: 'serializable' });
    const run = runOf(plan, (cell, round) =>
      cell.target === 'beta-http'
        ? voidTrial({ cell, round }, { facts: trialFacts })
        : passedTrial({ cell, round, applied: 1000 }),
    );
    expect(rulesBroken(assessParity(run).verdict)).toEqual([rules.liveFacts]);
  });

  test('a depth that queues in the client, whatever was planned', () => {
    const onWire = (depth: number | null) => (depth === 8 ? 7 : depth);
    const queued = runWithTrials(({ observed }) => ({
      observed: { ...observed, outstandingOnWire: onWire(observed.outstandingOnWire) },
    }));
    const { rows, verdict } = assessParity(queued);
    expect(rulesBroken(verdict)).toEqual([rules.depth]);
    expect(verdict.differences[0]?.message).toBe('the depth must reach the server: beta-http has 7 of 8');
    const unseen = runWithTrials(({ observed }) => ({ observed: { ...observed, outstandingOnWire: null } }));
    expect(assessParity(unseen).verdict.fair).toBe(true);
    const row = rows.find(({ subject }) => subject.includes('on the wire'));
    expect(row?.values).toEqual({ 'alpha-http': '1 of 1, 8 of 8', 'beta-http': '1 of 1, 7 of 8' });
  });

  test('another load client, another runtime of it, other sessions, depth, accounts or seed', () => {
    const changed = (change: (cell: Cell) => Partial<Cell>): readonly string[] => {
      const cells = plan.cells.map((cell) =>
        cell.target === 'beta-http' ? { ...cell, ...change(cell) } : cell,
      );
      const run = runOf({ ...plan, cells }, (cell, round) => passedTrial({ cell, round, applied: 1000 }));
      return rulesBroken(assessParity(run).verdict);
    };
    expect(changed(() => ({ threads: 2 }))).toEqual([rules.loadClient]);
    expect(changed(() => ({ client: 'native' }))).toEqual([rules.loadClient]);
    expect(changed(() => ({ sessions: 64 }))).toEqual(['F4']);
    expect(changed(({ depth }) => ({ depth: depth * 5 }))).toEqual([rules.depth]);
    expect(changed(({ parameters }) => ({ parameters: { ...parameters, accounts: 10 } }))).toEqual([
      rules.dataset,
    ]);
    expect(changed(({ parameters }) => ({ parameters: { ...parameters, seed: '7' } }))).toEqual([
      rules.operationStream,
    ]);
    const runtime = runWithTrials(({ result }) => ({
      result: { ...result, client: { ...result.client, runtime: 'node 20.1.0' } },
    }));
    expect(rulesBroken(assessParity(runtime).verdict)).toEqual([rules.loadClient]);
  });

  test('a codec of ours in the place of the client library, and it is shown where the library is stock', () => {
    const { verdict } = assessParity(runWith({ clientCodec: 'tuned' }));
    expect(rulesBroken(verdict)).toEqual([rules.loadClient]);
    expect(verdict.differences[0]?.message).toContain('beta-http has tuned');
    const { verdict: stock, rows } = assessParity(runWith({ clientCodec: 'stock' }));
    expect(stock.fair).toBe(true);
    const line = rows.find(({ subject }) => subject === 'client library of the database');
    expect(line?.values).toEqual({ 'alpha-http': 'none', 'beta-http': 'stock' });
  });

  test('operations that one target drew by another seed in one of the rounds', () => {
    const { verdict } = assessParity(runWithTrials(({ round }) => (round === 1 ? { streamSeed: '8' } : {})));
    expect(rulesBroken(verdict)).toEqual([rules.operationStream]);
    expect(verdict.differences[0]?.message).toContain('in round 2');
  });

  test('a run in which nothing was measured', () => {
    const { verdict, rows } = assessParity({ plan, targets: [], trials: [], durability: [] });
    expect(rows).toEqual([]);
    expect(rulesBroken(verdict)).toEqual([rules.verdict]);
  });

  test('servers that may use another number of processors, or another than requested', () => {
    const run = (lists: Readonly<Record<string, string>>, cores?: number): SummaryInput => {
      const cells = plan.cells.map((cell) => (cores === undefined ? cell : { ...cell, cores }));
      return runOf({ ...plan, cells }, (cell, round) =>
        passedTrial(
          { cell, round, applied: 1000 },
          { cores: { client: '0', servers: [lists[cell.target] ?? ''] } },
        ),
      );
    };
    const broken = (...of: Parameters<typeof run>) => rulesBroken(assessParity(run(...of)).verdict);
    expect(broken({ 'alpha-http': '0-3', 'beta-http': '4-6' })).toEqual([rules.cores]);
    expect(broken({ 'alpha-http': '0-3', 'beta-http': '4,6-8' })).toEqual([]);
    expect(broken({ 'alpha-http': '0-3', 'beta-http': 'unknown' })).toEqual([]);
    expect(broken({ 'alpha-http': '1', 'beta-http': '1' }, 1)).toEqual([]);
    expect(broken({ 'alpha-http': '0-1', 'beta-http': '0-1' }, 1)).toEqual([rules.cores]);
  });

  test('a run whose cells are all void, each by one of its trials', () => {
    const run = runOf(plan, (cell, round) =>
      round === 1 ? voidTrial({ cell, round }) : passedTrial({ cell, round, applied: 1000 }),
    );
    expect(rulesBroken(assessParity(run).verdict)).toEqual([rules.verdict]);
    const [first] = plan.cells;
    const others = run.trials.map((trial) =>
      trial.cellId === first?.id ? passedTrial({ cell: first, round: trial.round, applied: 1000 }) : trial,
    );
    expect(assessParity({ ...run, trials: others }).verdict.fair).toBe(true);
  });
});

describe('no difference is', () => {
  test.each<[string, Partial<Facts>]>([
    ['isolation', { isolation: 'serializable' }],
    ['the version', { system: { name: 'beta', version: '9' } }],
    ['the provider', { provider: 'url' }],
    ['the wire protocol', { wireProtocol: 'binary' }],
    ['one writer without an application server', { writersMax: 1, appServer: null }],
    ['the file system on a disk', { storage: { directory: null, fileSystem: 'unknown' } }],
  ])('%s: it is shown', (_what, changes) => {
    const { verdict, rows } = assessParity(runWith(changes));
    expect(verdict.differences).toEqual([]);
    const shown = rows.filter(({ kind }) => kind === 'shown');
    expect(shown.some(({ values }) => values['alpha-http'] !== values['beta-http'])).toBe(true);
  });

  test('memory storage of a target that claims nothing, beyond the durability that it lacks', () => {
    const changes = { durability: 'none', storage: { directory: null, fileSystem: 'memory' } } as const;
    expect(rulesBroken(assessParity(runWith(changes)).verdict)).toEqual([rules.durability]);
  });

  test('a target that was requested and not measured', () => {
    const run = runWith({ durability: 'none' });
    const measured = run.trials.filter(({ cellId }) => cellId.startsWith('alpha-http'));
    const { verdict, rows } = assessParity({ ...run, trials: measured });
    expect(verdict.fair).toBe(true);
    expect(rows.every(({ values }) => Object.keys(values).join() === 'alpha-http')).toBe(true);
  });

  test('a target whose trials were all void, and so has no result to read its load client from', () => {
    const run = runOf(plan, (cell, round) =>
      cell.target === 'beta-http' ? voidTrial({ cell, round }) : passedTrial({ cell, round, applied: 1000 }),
    );
    expect(assessParity(run).verdict.differences).toEqual([]);
  });

  test('a new data directory of a target that was started anew', () => {
    const moved = factsOf('beta', { storage: { directory: '/data-2', fileSystem: 'ext4' } });
    const run = runWithTrials(({ round }) => (round === 2 ? { factsBefore: moved, factsAfter: moved } : {}));
    expect(assessParity(run).verdict.differences).toEqual([]);
  });
});

test('the same input gives the same bytes', () => {
  const run = runWith({ durability: 'async' });
  expect(JSON.stringify(assessParity(run))).toBe(JSON.stringify(assessParity(structuredClone(run))));
});
