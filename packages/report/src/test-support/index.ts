import type { Interval } from '@fair-bench/contract';
import {
  type ClaimResult,
  combinationOf,
  type Explanation,
  type NoiseFloor,
  type Search,
  type StatementResult,
  type SummaryInput,
} from '@fair-bench/results';
import { seededNormal } from '@fair-bench/results/test-support';
import {
  environment,
  factsOf,
  passedTrial,
  outcomeOf,
  planOf,
  resultOf,
  runOf,
  voidTrial,
} from '@fair-bench/analysis/test-support';

/** Throughput at depth 1 without skew, and how it takes depth and skew. */
const targets = {
  'alpha-drizzle': { tps: 900, byDepth: 0.25, bySkew: 0.25 },
  'alpha-storedproc': { tps: 2100, byDepth: 0.45, bySkew: 0.35 },
  'beta-driver': { tps: 2600, byDepth: 0.7, bySkew: 0.9 },
  'gamma-sdk': { tps: 1500, byDepth: 0.8, bySkew: 0.05 },
};
const targetNames = Object.keys(targets);

/**
 * A run of 48 cells of three rounds: four targets × four skews × three depths, with latencies, seconds, one target
 * that is unavailable, one cell that is void and one warning. Seeded: the same every time.
 */
export function largeRun({ alphas = [0, 0.5, 1, 1.5], depths = [1, 8, 64] } = {}): SummaryInput {
  const plan = planOf({ targets: targetNames, alphas, depths });
  const normal = seededNormal(48);
  const input = runOf(plan, (cell, round) => {
    if (cell.target === 'alpha-drizzle' && cell.depth === 64 && cell.parameters['alpha'] === 1.5) {
      return voidTrial({ cell, round });
    }
    const shape = Object.entries(targets).find(([name]) => name === cell.target)?.[1];
    const { tps, byDepth, bySkew } = shape ?? { tps: 1, byDepth: 0, bySkew: 0 };
    const rate =
      tps *
      cell.depth ** byDepth *
      Math.exp(-bySkew * Number(cell.parameters['alpha'])) *
      (1 + 0.015 * normal());
    const applied = Math.round(rate * 2);
    const meanUs = (cell.sessions * cell.depth * 1e6) / rate;
    const latenciesUs = Array.from({ length: Math.min(applied, 4000) }, () =>
      Math.max(100, Math.round(meanUs * 0.9 * Math.exp(0.25 * normal() + (normal() > 2.3 ? 1 : 0)))),
    );
    const shaped = { cell, round, applied, latenciesUs };
    const series = [0.4, 0.97, 1.01, 0.99].map((share, second) => ({
      second,
      applied: Math.round(rate * share * (second === 3 ? 0.1 : 1) * (1 + 0.02 * normal())),
      declined: 0,
      faults: 0,
      latencyMsMean: meanUs / 1000,
    }));
    const warnings =
      cell.target === 'beta-driver' && cell.depth === 64
        ? [
            {
              code: 'client-saturated',
              message: 'the load client used 97 % of a core',
              remedy: 'use --threads 2',
            },
          ]
        : [];
    const database = cell.target === 'gamma-sdk' ? null : applied * (20 + 2000 / Math.sqrt(rate));
    const cpuUs = {
      client: applied * 31,
      appServer: cell.target.startsWith('alpha') ? applied * 160 : null,
      pooler: null,
      database,
    };
    return passedTrial(shaped, { result: { ...resultOf(shaped), series }, warnings, cpuUs });
  });
  return {
    ...input,
    environment: { ...environment, cpu: { model: 'Example CPU at 3.0 GHz', cores: 2 } },
    noiseFloor,
    targets: plan.targets.map(({ target }) =>
      outcomeOf(target, { facts: factsOf(target.split('-')[0] ?? '') }),
    ),
  };
}

export const noiseFloor: NoiseFloor = {
  target: 'beta-driver',
  ratio: 1.041,
  rounds: 3,
  windowMs: 1000,
  repetitions: 40,
  falseAlarms: 2,
  measuredAt: '2026-11-20T10:00:00.000Z',
  machine: { cpuModel: 'Example CPU at 3.0 GHz', cores: 2, kernel: '6.1' },
};

const gapFactors = [
  {
    name: 'data access',
    from: 'ORM',
    to: 'stored procedure',
    multiplier: 2.1,
    min: 1.7,
    max: 2.6,
    share: 0.3,
  },
  { name: 'hop', from: 'RPC server', to: 'none', multiplier: 1.35, min: 1.3, max: 1.4, share: 0.05 },
  { name: 'client', from: 'node', to: 'native', multiplier: 1.22, min: 1.05, max: 1.5, share: 0.02 },
  { name: 'depth', from: '1', to: '64', multiplier: 3.1, min: 2.4, max: 3.6, share: 0.5 },
  { name: 'contention', from: 'alpha 0', to: 'alpha 1.5', multiplier: 0.84, min: 0.8, max: 0.9, share: 0.01 },
].map((factor) => ({
  ...factor,
  ci95: [factor.multiplier * 0.94, factor.multiplier * 1.06] satisfies Interval,
}));
const stepOfSystem = 12.6 / (2.1 * 1.35 * 1.22 * 3.1 * 0.84);

export const explanation: Explanation = {
  from: 'alpha-drizzle[depth=1]',
  to: 'gamma-sdk[client=native]',
  ratio: 12.6,
  ci95: [11.9, 13.3],
  rounds: 12,
  path: [
    ...gapFactors.map(({ name, from, to, multiplier, ci95 }) => ({
      name,
      from,
      to,
      multiplier,
      ci95,
      isArchitecture: false,
      rounds: 5,
    })),
    {
      name: 'architecture',
      from: 'alpha',
      to: 'gamma',
      multiplier: stepOfSystem,
      ci95: [stepOfSystem * 0.92, stepOfSystem * 1.09],
      isArchitecture: true,
      rounds: 12,
    },
  ],
  architecture: {
    corners: [
      { at: 'depth 1', multiplier: 1.1, ci95: [1.02, 1.19], rounds: 12 },
      {
        at: 'depth 64',
        multiplier: stepOfSystem,
        ci95: [stepOfSystem * 0.92, stepOfSystem * 1.09],
        rounds: 12,
      },
    ],
    multiplier: 1.24,
    ci95: [1.16, 1.32],
    share: 0.08,
    differs: true,
    includes: ['data access (stored-procedure → engine)', 'client library (alpha-js → gamma SDK)'],
    ofOneSystem: ['alpha: isolation'],
  },
  factors: gapFactors,
  interactions: [
    {
      factor: 'depth',
      by: { name: 'architecture', from: 'alpha', to: 'gamma' },
      before: 2.6,
      after: 3.3,
      ratio: 1.27,
      ci95: [1.13, 1.43],
      pValueAdjusted: 0.01,
      share: 0.02,
    },
  ],
  model: {
    cellsPossible: 24,
    cellsMeasured: 24,
    terms: 18,
    termsMissing: 0,
    lackOfFit: { ratio: 1.2, degrees: [6, 92], pValue: 0.31 },
    merged: [],
  },
  skipped: [{ cell: 'gamma-sdk[access=orm]', reason: 'impossible: gamma has no ORM' }],
};

const headline: StatementResult = {
  statement: 'Gamma is 14 times as fast as Alpha.',
  kind: 'about',
  wording: '“14 times”',
  reading: null,
  claimedRatio: 14,
  measured: { ratio: 12.6, ci95: [11.9, 13.3], logError: 0.025 },
  verdict: 'supported',
  because: 'the whole interval is above 11.2 × (0.8 of the claim) and below 17.5 × (1.25 of the claim)',
};

export const claim: ClaimResult = {
  name: 'example-2026',
  source: 'https://gamma.example/benchmark',
  date: '2026-02-01',
  host: 'a host of 32 threads',
  machine: '2 cores (Example CPU at 3.0 GHz)',
  ...headline,
  statements: [headline],
  differs: ['windows took 2 s here, 300 s in the claim'],
  breaks: [{ rule: 'F5', why: 'depth 64 against depth 1' }],
  figures: [
    {
      label: 'Gamma',
      reading: null,
      claimedTps: 104_485,
      where: 'the table of results, row Gamma',
      cellId: null,
      measuredTps: 19_000,
      ci95: [18_500, 19_500],
      note: 'other machine',
    },
    {
      label: 'Alpha',
      reading: null,
      claimedTps: 7416,
      where: 'the table of results, row Alpha',
      cellId: null,
      measuredTps: null,
      ci95: null,
      note: 'not available here',
    },
  ],
};

export const search: readonly Search[] = [
  {
    target: 'gamma-sdk',
    client: 'native',
    ...combinationOf({ parameters: { alpha: 0.5 }, axes: ['alpha'] }),
    durability: 'durable',
    contest: 'gamma at alpha 0.5',
    system: 'gamma',
    zone: 0.05,
    points: [
      ...[1, 4, 16, 64].flatMap((depth) =>
        [16, 64].map((sessions) => {
          const tps = Math.round(500 * Math.min(sessions * depth, 600) ** 0.5);
          const p50Ms = (sessions * depth * 1000) / tps;
          return {
            status: 'ok' as const,
            sessions,
            depth,
            tps,
            tpsOfTrials: [tps],
            p50Ms,
            p99Ms: 2 * p50Ms,
            trials: 1,
          };
        }),
      ),
      { status: 'void' as const, sessions: 256, depth: 64, reason: 'timeouts' },
    ],
    chosen: { sessions: 64, depth: 16 },
    edges: ['sessions'],
  },
];
