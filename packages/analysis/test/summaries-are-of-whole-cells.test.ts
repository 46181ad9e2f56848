import type { Cell, HostConditions, PassedTrial, RunPlan, TrialRecord } from '@fair-bench/results';
import { describe, expect, test } from 'vitest';
import { assessParity } from '../src/parity/assess-parity.ts';
import { rules } from '../src/parity/rules.ts';
import { summarizeCell } from '../src/summary/cell-summary.ts';
import { comparisonsOf, comparedPairs } from '../src/summary/comparisons.ts';
import { designOf } from '../src/summary/contrasts.ts';
import { auditOf, measuresOf } from '../src/summary/measures.ts';
import { contrastEstimates } from '../src/summary/contrast-estimates.ts';
import { summarize } from '../src/summary/summarize.ts';
import {
  factsOf,
  histogramOf,
  outcomeOf,
  passedTrial,
  planOf,
  present,
  runOf,
  voidTrial,
} from '../src/test-support/trial-records.ts';

const single = planOf({ targets: ['alpha-http'] });
const alpha = present(single.cells[0]);
const rounds = [0, 1, 2] as const;

/** Three trials of 1,000 operations; each changes what the test is about. */
const trialsWith = (changes: (round: 0 | 1 | 2, trial: PassedTrial) => Partial<PassedTrial>): PassedTrial[] =>
  rounds.map((round) => {
    const trial = passedTrial({ cell: alpha, round, applied: 1000 });
    return { ...trial, ...changes(round, trial) };
  });
const measured = (changes: Parameters<typeof trialsWith>[0]) =>
  present(measuresOf(trialsWith(changes)) ?? undefined);

describe('the measures of a cell', () => {
  const calm: HostConditions = {
    cores: 2,
    busyShare: 0.5,
    stealShare: 0,
    waitingShare: null,
    runnable: null,
    foreignShare: 0,
    foreignMost: null,
  };
  const passed = present(trialsWith(() => ({}))[0]).audit;

  test('are the worst that was seen of the machine and of the audit', () => {
    const of = measured((round) => ({
      host: {
        ...calm,
        stealShare: [0.001, 0.01, 0.005][round] ?? 0,
        foreignShare: [0.01, 0.04, 0.02][round] ?? 0,
      },
      audit: { ...passed, rowsChecked: [1000, 900, 1100][round] ?? 0 },
      inFlight: { peak: [50, 60, 40][round] ?? 0 },
    }));
    expect(of).toMatchObject({
      host: { stealShareMax: 0.01, foreignShareMax: 0.04 },
      audit: { rowsChecked: 900 },
      inFlight: { peak: 60 },
    });
    expect(auditOf(trialsWith(() => ({}))).status).toBe('passed');
    expect(
      auditOf([...trialsWith(() => ({})), voidTrial({ cell: alpha, round: 3 }, { audit: null })]).status,
    ).toBe('not-run');
  });

  test('are absent where one of the trials could not read them', () => {
    const of = measured((round, { rssMb, cpuUs }) =>
      round === 1
        ? { rssMb: { ...rssMb, appServer: null }, cpuUs: { ...cpuUs, appServer: null } }
        : { host: calm },
    );
    expect(of).not.toHaveProperty('host');
    expect([
      of.rssMb.appServer,
      of.overTrials?.rssMb.appServer,
      of.overTrials?.cpuUsPerTxn.appServer,
    ]).toEqual([null, null, null]);
    expect(of.overTrials?.rssMb.client.mean).toBe(90);
  });

  const waiting = histogramOf([900_000]);
  const offered =
    (due: number, applied: number) =>
    (round: number, { result }: PassedTrial): Partial<PassedTrial> => {
      const own = round === 1 ? applied : due;
      return {
        tps: own / 2,
        cpuUs: { client: own * 30, appServer: null, pooler: null, database: null },
        result: {
          ...result,
          window: { ...result.window, applied: own },
          openLoop: { due, started: due, neverStarted: 0, unfinished: waiting },
        },
      };
    };

  test('held a rate only if every trial did', () => {
    expect(measured(offered(1000, 990)).openLoop?.held).toBe(true);
    expect(measured(offered(1000, 989)).openLoop?.held).toBe(false);
  });

  test('are of what was applied', () => {
    expect(measured(offered(1000, 0)).overTrials?.cpuUsPerTxn.client.mean).toBeCloseTo(30, 6);
    expect(measuresOf(trialsWith(offered(0, 0)))).toBeNull();
  });
});

describe('a cell', () => {
  const input = {
    cell: alpha,
    planned: single.targets[0],
    outcome: outcomeOf('alpha-http'),
    rounds: 3,
    roundsPlanned: 3,
    interrupted: false,
  };

  test('keeps its number though its target was gone later', () => {
    const outcome = outcomeOf('alpha-http', { unavailable: { reason: 'gone', remedy: 'none' } });
    expect(summarizeCell({ ...input, outcome, trials: trialsWith(() => ({})) }).status).toBe('ok');
    expect(summarizeCell({ ...input, outcome, trials: [] }).status).toBe('unavailable');
  });

  test('that is void says the latest facts', () => {
    const trials = rounds.map((round) =>
      voidTrial({ cell: alpha, round }, { facts: factsOf('alpha', { writersMax: round }) }),
    );
    const unread = voidTrial({ cell: alpha, round: 3 }, { facts: null });
    expect(summarizeCell({ ...input, trials: [...trials, unread] })).toMatchObject({
      facts: { writersMax: 2 },
    });
  });
});

describe('cells are compared', () => {
  const plan = planOf({ targets: ['alpha-http', 'beta-http'] });
  const withCells = (cells: Cell[], mode: RunPlan['mode'] = 'fair'): RunPlan => ({
    ...plan,
    mode,
    cells,
    rounds: plan.rounds.map(() => cells.map(({ id }) => id)),
  });
  const [a, b] = [present(plan.cells[0]), present(plan.cells[1])];
  const as = (cell: Cell, id: string, change: Partial<Cell>): Cell => ({ ...cell, id, ...change });
  const pairs = (one: RunPlan): string[] =>
    comparedPairs(one).map(({ baseline, contender }) => `${baseline.id} ${contender.id}`);
  const { alpha: skew, ...others } = a.parameters;

  test.each<[string, Cell[], string[]]>([
    [
      'with the same parameters in any order',
      [as(a, 'a', {}), as(b, 'b', { parameters: { alpha: skew ?? 0, ...others } })],
      ['a b'],
    ],
    [
      'not with another parameter',
      [as(a, 'a', {}), as(b, 'b', { parameters: { ...others, alpha: 0.9 } })],
      [],
    ],
    ['not with another rate', [as(a, 'a', { ratePerSecond: 100 }), as(b, 'b', { ratePerSecond: 200 })], []],
    [
      'by one load client, or of one target',
      [as(a, 'a', {}), as(a, 'an', { client: 'native' }), as(b, 'b', {}), as(b, 'bn', { client: 'native' })],
      ['a an', 'a b', 'an bn', 'b bn'],
    ],
  ])('%s', (_, cells, expected) => {
    expect(pairs(withCells(cells))).toEqual(expected);
  });

  test('at their best points with the same parameters, and two clients at one point', () => {
    const other = as(b, 'b', { parameters: { ...others, alpha: 0.9 } });
    expect(pairs(withCells([as(a, 'a', {}), other], 'optimized'))).toEqual([]);
    expect(pairs(withCells([as(a, 'a', {}), as(b, 'b', { sessions: 9 })], 'optimized'))).toEqual(['a b']);
    const native = as(a, 'an', { client: 'native' });
    expect(pairs(withCells([as(a, 'a', {}), native], 'optimized'))).toEqual(['a an']);
    expect(pairs(withCells([as(a, 'a', {}), { ...native, sessions: 9 }], 'optimized'))).toEqual([]);
  });

  test('in blocks in which the cells of one load client lie together', () => {
    const cells = [
      as(a, 'an', { client: 'native' }),
      as(a, 'a', {}),
      as(b, 'bn', { client: 'native' }),
      as(b, 'b', {}),
    ];
    expect(designOf(withCells(cells)).blocks).toEqual([['a', 'b', 'an', 'bn']]);
  });

  const trialsOf = (changes: (cell: Cell, round: number) => Partial<PassedTrial>): TrialRecord[] =>
    runOf(plan, (cell, round) =>
      passedTrial({ cell, round, applied: 1000 + round }, changes(cell, round)),
    ).trials.slice();

  test('not where one did nothing in a round, and by CPU time only where all of it is known', () => {
    const one = (round: number, cell: Cell): boolean => round === 1 && cell.id === b.id;
    const compared = (change: Partial<PassedTrial>) =>
      comparisonsOf(
        plan,
        trialsOf((cell, round) => (one(round, cell) ? change : {})),
      );
    expect(compared({})[0]?.serverCpu?.ratio).toBeCloseTo(1, 6);
    expect(
      compared({ cpuUs: { client: 1, appServer: null, pooler: null, database: null } })[0],
    ).not.toHaveProperty('serverCpu');
    expect(compared({ tps: 0 })).toEqual([]);
  });

  test('and decided either way while rounds go on', () => {
    const contrast = { baseline: 'a', contender: 'b' };
    const decided = (change: number): boolean | undefined => {
      const logs = (shift: number) =>
        new Map(Array.from({ length: 9 }, (_, round) => [round, shift + (round % 2) / 100] as const));
      return contrastEstimates(
        [contrast],
        new Map([
          ['a', logs(0)],
          ['b', new Map([...logs(change)].map(([round, log]) => [round, log + round / 1e4]))],
        ]),
      )[0]?.isDecided;
    };
    expect([decided(0.5), decided(-0.5), decided(0)]).toEqual([true, true, false]);
  });
});

describe('a run', () => {
  const summaryWith = (changes: Parameters<typeof trialsWith>[0]) =>
    summarize({ ...runOf(single, () => voidTrial({ cell: alpha, round: 0 })), trials: trialsWith(changes) });

  test('says the most that idle servers used, and which reads no log had room for', () => {
    const asserted = [{ operation: 'transfer', assertions: ['all'] }];
    const { run, audit } = summaryWith((round, trial) => ({
      idleServersShare: [0.01, 0.03, 0.02][round] ?? 0,
      audit: { ...trial.audit, asserted, readsOfEvery: [4, 0, 2][round] ?? 1 },
    }));
    expect([run.idleServersShareMax, audit?.readsOfEvery]).toEqual([0.03, 0]);
    const thinned = summaryWith((round, trial) => ({
      audit: { ...trial.audit, asserted, readsOfEvery: [4, 1, 2][round] ?? 1 },
    }));
    expect(thinned.audit?.readsOfEvery).toBe(4);
  });

  const parityWith = (changes: Parameters<typeof trialsWith>[0]) =>
    assessParity({
      ...runOf(single, () => voidTrial({ cell: alpha, round: 0 })),
      trials: trialsWith(changes),
    });

  const broken = (changes: Parameters<typeof trialsWith>[0]): string[] =>
    parityWith(changes).verdict.differences.map(({ rule }) => rule);

  test('counts what its load client counted', () => {
    expect(broken((_, { tps }) => ({ tps: tps * 1.01 }))).toEqual([rules.counting]);
  });

  test('reports every retry that the server made, where no lost reply may have carried it', () => {
    const retried = (unanswered: number, inDoubt: number) =>
      broken((_, { result, countersAfter }) => ({
        countersAfter: { ...countersAfter, retries: 1 },
        result: { ...result, unanswered, total: { ...result.total, inDoubt } },
      }));
    expect([retried(0, 0), retried(1, 0), retried(0, 1)]).toEqual([[rules.retries], [], []]);
  });

  test('has seen nothing at once where nothing could be read', () => {
    const { rows } = parityWith((_, { observed }) => ({
      observed: {
        ...observed,
        canaries: { ...present(observed.canaries ?? undefined), read: 0, visible: 0, readAfterMsMax: null },
      },
    }));
    const values = rows.find(({ subject }) => subject.includes('visible to another connection'))?.values;
    expect(values).toEqual({ 'alpha-http': 'not observed' });
  });
});
