import {
  type Cell,
  type EncodedHistogram,
  type Environment,
  type PassedTrial,
  protocolVersion,
  type RunPlan,
  type SummaryInput,
  type TargetOutcome,
  type TrialRecord,
  type TrialResult,
} from '@fair-bench/results';
import { type Facts, type FairSetting, defaultTargetSettings } from '@fair-bench/contract';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';

/** A really encoded histogram of latencies in whole microseconds. */
export function histogramOf(latenciesUs: readonly number[]): EncodedHistogram {
  const histogram = build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 3,
  });
  for (const us of latenciesUs) histogram.recordValue(us);
  return {
    count: latenciesUs.length,
    sumUs: latenciesUs.reduce((sum, us) => sum + us, 0),
    maxUs: Math.max(0, ...latenciesUs),
    hdr: encodeIntoCompressedBase64(histogram),
  };
}

export const durableProfile: readonly FairSetting[] = [
  { setting: 'sync', accepted: ['on'], reason: 'a commit must survive a power cut' },
  { setting: 'journal', accepted: ['wal', 'full'], reason: 'a torn page must be repaired' },
];

export function factsOf(system: string, changes: Partial<Facts> = {}): Facts {
  return {
    system: { name: system, version: '1.2' },
    provider: 'embedded',
    durability: 'durable',
    isolation: 'read-committed',
    settings: { sync: 'on', journal: 'wal' },
    appServer: {
      runtime: 'node 26.10.0',
      processes: 2,
      poolSizePerProcess: 25,
      retriesMax: 5,
      keepAlive: true,
    },
    wireProtocol: 'http/1.1 json, pipelined',
    writersMax: 50,
    storage: { directory: '/data', fileSystem: 'ext4' },
    ...changes,
  };
}

export const environment: Environment = {
  cpu: { model: 'Test CPU', cores: 2 },
  memoryBytes: 8 * 2 ** 30,
  os: { platform: 'linux', kernel: '6.1', architecture: 'x86_64' },
  runtime: 'node 26.10.0',
  fileSystem: { type: 'ext4', directory: '/data' },
  fsyncPerSecond: 900,
  pinning: 'load client and servers share all processors: not requested',
  git: { commit: 'abc1234', dirty: false },
  lockfileSha256: 'ff'.repeat(32),
};

export interface PlanShape {
  readonly targets: readonly string[];
  readonly alphas?: readonly number[];
  readonly depths?: readonly number[];
  readonly rounds?: number;
}

/** A plan of every target × alpha × depth. */
export function planOf({ targets, alphas = [0.5], depths = [1], rounds = 3 }: PlanShape): RunPlan {
  const cells = targets.flatMap((target) =>
    alphas.flatMap((alpha) => depths.map((depth) => cellOf(target, alpha, depth))),
  );
  return {
    schemaVersion: 2,
    id: 'test-run',
    mode: 'fair',
    command: ['fair-bench', '--systems', targets.join(','), '--out', 'my results'],
    seed: '42',
    workloadSha256: '0'.repeat(64),
    targets: targets.map((target) => ({
      target,
      connector: target,
      system: target.split('-')[0] ?? target,
      route: 'http',
      url: null,
      ...defaultTargetSettings,
      processes: 2,
      poolSize: 50,
    })),
    cells,
    loop: { kind: 'closed' },
    inDoubtShareMax: 0.01,
    faultsShareMax: 0.01,
    disturbedAgainMax: 2,
    timing: { warmupMs: 1000, windowMs: 2000, windowMsMax: 60_000, drainMs: 10_000, operationMs: 10_000 },
    rounds: Array.from({ length: rounds }, () => cells.map(({ id }) => id)),
  };
}

function cellOf(target: string, alpha: number, depth: number): Cell {
  return {
    id: `${target}-a${alpha}-d${depth}-s50`,
    target,
    client: 'node',
    workload: 'transfer',
    parameters: { accounts: 1000, initialBalance: '1000000', seed: '42', alpha },
    axes: ['alpha'],
    sessions: 50,
    depth,
    batch: 1,
    threads: 1,
  };
}

export function outcomeOf(target: string, changes: Partial<TargetOutcome> = {}): TargetOutcome {
  const facts = factsOf(target.split('-')[0] ?? target);
  return { target, fairProfile: durableProfile, facts, unavailable: null, ...changes };
}

export interface TrialShape {
  readonly cell: Cell;
  readonly round: number;
  /** Operations applied in the window of two seconds. */
  readonly applied: number;
  readonly latenciesUs?: readonly number[];
  readonly facts?: Facts;
}

/** A trial that passed. */
export function passedTrial(shape: TrialShape, changes: Partial<PassedTrial> = {}): PassedTrial {
  const { cell, round, applied } = shape;
  const facts = shape.facts ?? factsOf(cell.target.split('-')[0] ?? cell.target);
  return {
    status: 'ok',
    cellId: cell.id,
    round,
    streamSeed: '42',
    result: resultOf(shape),
    tps: applied / 2,
    cpuUs: { client: applied * 30, appServer: applied * 100, pooler: null, database: applied * 50 },
    rssMb: { client: 90, appServer: 120, pooler: null, database: 200 + round },
    audit: { status: 'passed', rowsChecked: 1000, mismatches: 0, inDoubt: 0, inDoubtApplied: 0 },
    factsBefore: facts,
    factsAfter: facts,
    countersBefore: { commits: 10, applied: 0, retries: 0 },
    countersAfter: { commits: 10 + applied, applied, retries: 0 },
    inFlight: { peak: 50 },
    observed: {
      canaries: {
        planned: 6,
        read: 6,
        visible: 6,
        applied: 0,
        declined: 0,
        readAfterMsMax: 1.2,
        problems: [],
      },
      outstandingOnWire: cell.depth,
      committedAtWindowBegin: { count: 0, readMs: 1 },
      committedAtWindowEnd: { count: applied, readMs: 1 },
      committedAtOrderedEnd: { count: applied, readMs: 1 },
      committedAfterTrial: applied,
      committedHasReads: false,
      settings: { readings: 12, first: { sync: 'on' }, changes: [] },
      unflushed: { looks: 50, found: [] },
      pooling: null,
      lastWriters: {
        readings: 3,
        subtransactionsMost: 0,
        tables: [{ name: 'account', rowsMost: 2, rowsOfOperationMax: 2 }],
      },
      protocols: null,
    },
    warnings: [],
    ...changes,
  };
}

export function resultOf(shape: TrialShape): TrialResult {
  const { cell, round, applied, latenciesUs = [1000, 2000, 3000] } = shape;
  const counts = { applied, declined: {}, faults: {}, retries: 0, inDoubt: 0 };
  const latency = { applied: histogramOf(latenciesUs), declined: histogramOf([]), faults: histogramOf([]) };
  const kinds = { applied, declined: 0, faults: 0 };
  return {
    protocol: protocolVersion,
    trialId: `test-run/${cell.id}-r${round}`,
    client: { name: 'node', version: '0.1.0', runtime: 'node 26.10.0', pid: 1 },
    ending: 'complete',
    timing: { startedAt: '2026-11-20T12:00:00.000Z', startUs: 0, warmupMs: 1000, windowMs: 2000, drainMs: 1 },
    steadyState: { reached: true, windowDrift: 0 },
    window: counts,
    total: counts,
    outstandingPeak: cell.sessions * cell.depth,
    unanswered: 0,
    latency,
    operations: [{ name: 'transfer', writes: true, window: kinds, total: kinds, latency }],
    latencyMsMeanWindow: 2,
    openLoop: null,
    replySlots: { slotMs: 10, slots: 200, empty: 0, max: 9, counts: [] },
    appliedSlots: [],
    series: [],
    effort: { cpuUserUs: 1, cpuSystemUs: 1, loopUtilization: 0.5, rssBytesMax: 90 * 2 ** 20 },
    log: null,
  };
}

/** A trial without a number: void unless the changes say otherwise. */
export function voidTrial(
  { cell, round }: Pick<TrialShape, 'cell' | 'round'>,
  changes: Partial<Extract<TrialRecord, { status: 'void' }>> = {},
): TrialRecord {
  return {
    status: 'void',
    cellId: cell.id,
    round,
    reason: 'a transfer was applied twice',
    audit: {
      status: 'failed',
      rowsChecked: 1000,
      mismatches: 2,
      inDoubt: 0,
      reason: 'a transfer was applied twice',
      examples: [],
    },
    facts: factsOf(cell.target.split('-')[0] ?? cell.target),
    warnings: [],
    ...changes,
  };
}

/** A whole run: every cell of the plan in every round, at the throughput that the test gives it. */
export function runOf(
  plan: RunPlan,
  trialOf: (cell: Cell, round: number) => TrialRecord,
  changes: Partial<SummaryInput> = {},
): SummaryInput {
  return {
    plan,
    environment,
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: '2026-11-20T12:03:00.000Z',
    interrupted: false,
    targets: plan.targets.map(({ target }) => outcomeOf(target)),
    trials: plan.rounds.flatMap((_ids, round) => plan.cells.map((cell) => trialOf(cell, round))),
    durability: [],
    ...changes,
  };
}

/** A whole run of a plan with the targets alpha-http and beta-http, in which beta is not durable: two differences. */
export function unfairRunOf(plan: RunPlan): SummaryInput {
  const asyncFacts = factsOf('beta', { durability: 'async', settings: { sync: 'off', journal: 'wal' } });
  const factsFor = ({ target }: Cell): Facts => (target === 'beta-http' ? asyncFacts : factsOf('alpha'));
  return runOf(plan, (cell, round) => passedTrial({ cell, round, applied: 1000, facts: factsFor(cell) }), {
    targets: [outcomeOf('alpha-http'), outcomeOf('beta-http', { facts: asyncFacts })],
  });
}

/** For what a test knows to be there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the test expected a value');
  return value;
}
