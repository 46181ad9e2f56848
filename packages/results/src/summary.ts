import { z } from 'zod';
import { claimResultSchema } from './claim-result.ts';
import { explanationSchema } from './explanation.ts';
import {
  countSchema,
  factsSchema,
  faultCodeSchema,
  inFlightSchema,
  intervalSchema,
  nameSchema,
  requestedDurabilitySchema,
  targetNameSchema,
} from '@fair-bench/contract';
import { combination } from './combination.ts';
import { hostSummarySchema, setAsideSchema } from './host.ts';
import { noiseFloorSchema } from './noise-floor.ts';
import { openLoopSummarySchema } from './open-loop.ts';
import { clientNameSchema, modeSchema } from './run-plan.ts';
import { searchSchema } from './search.ts';
import { standingSchema, targetDurabilitySchema } from './durability.ts';
import { sweepSchema } from './sweep.ts';

/** A self-check that failed without voiding the trial, with what to do about it. */
export const warningSchema = z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() });
export type Warning = z.infer<typeof warningSchema>;

/** Of each part of a target by itself; null where it could not be read. */
export const byPartSchema = z.strictObject({
  client: z.number(),
  appServer: z.number().nullable(),
  database: z.number().nullable(),
});

const estimateSchema = z.strictObject({ mean: z.number(), ci95: intervalSchema.nullable() });
const estimateByPartSchema = z.strictObject({
  client: estimateSchema,
  appServer: estimateSchema.nullable(),
  database: estimateSchema.nullable(),
});

/** How far away a target of the user's is: its latency cannot be less. */
export const roundTripSchema = z.strictObject({
  target: targetNameSchema,
  /** The least time of `samples` TCP handshakes, milliseconds. */
  tcpConnectMsMin: z.number().min(0),
  samples: z.int().min(1),
});
export type RoundTrip = z.infer<typeof roundTripSchema>;

/** The machine and the software, as captured at the start of the run. */
/** A machine that load comes from, as its load agent announces it. */
export const loadMachineSchema = z.strictObject({
  name: nameSchema,
  host: z.string(),
  cores: countSchema,
  memoryBytes: countSchema,
  runtime: z.string(),
  version: z.string(),
  /** Hashes of what each load client is built of; null where it is not available there. */
  builds: z.strictObject({ node: z.string().nullable(), native: z.string().nullable() }),
});
export type LoadMachine = z.infer<typeof loadMachineSchema>;

export const environmentSchema = z.strictObject({
  cpu: z.strictObject({ model: z.string(), cores: countSchema }),
  memoryBytes: countSchema,
  os: z.strictObject({ platform: z.string(), kernel: z.string(), architecture: z.string() }),
  runtime: z.string(),
  fileSystem: z.strictObject({ type: z.string(), directory: z.string() }),
  /** Fsyncs per second that one writer reached in the data directory; null when it was not measured. */
  fsyncPerSecond: z.number().nullable(),
  /** Of targets that the user named by URL; absent where there are none. */
  roundTrips: z.array(roundTripSchema).optional(),
  /** Which processors load clients and servers were given, in words, and why none; runs of before do not say. */
  pinning: z.string().optional(),
  /** Of a run whose load came from other machines. */
  loadAgents: z.array(loadMachineSchema).optional(),
  git: z.strictObject({ commit: z.string(), dirty: z.boolean() }).nullable(),
  /** SHA-256 of pnpm-lock.yaml, hexadecimal; null outside a checkout. */
  lockfileSha256: z.string().nullable(),
});
export type Environment = z.infer<typeof environmentSchema>;

/** One way in which targets were not comparable. `rule` is a number of FAIR-BENCHMARK.md. */
export const differenceSchema = z.strictObject({
  rule: z.string().regex(/^F\d+$/),
  subject: z.string(),
  /** Target → what was found there. */
  values: z.record(z.string(), z.string()),
  message: z.string(),
});
export type Difference = z.infer<typeof differenceSchema>;

export const verdictSchema = z.strictObject({
  fair: z.boolean(),
  /** The same in words that nobody reads past. */
  label: z.enum(['FAIR', 'NOT FAIR']),
  differences: z.array(differenceSchema),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** One line of the parity table. `equal`: must be the same everywhere; `shown`: differs by nature. */
export const parityRowSchema = z.strictObject({
  rule: z.string().regex(/^F\d+$/),
  subject: z.string(),
  kind: z.enum(['equal', 'shown', 'profile']),
  holds: z.boolean(),
  values: z.record(z.string(), z.string()),
  /** Target → how its value is known, where that is not by reading the live system. */
  standings: z.record(z.string(), standingSchema).optional(),
});
export type ParityRow = z.infer<typeof parityRowSchema>;

/**
 * Milliseconds, from the merged histograms of a cell's trials: of applied operations and, in the open loop, how long
 * at least the unfinished took.
 */
export const latencySchema = z.strictObject({
  mean: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});

/** A cell's audits together: the worst status, the fewest accounts that one of them checked, sums of the rest. */
export const trialAuditSchema = z.strictObject({
  status: z.enum(['passed', 'failed', 'not-run']),
  accountsChecked: countSchema,
  mismatches: countSchema,
  inDoubt: countSchema,
});

/** The load under which something was measured. */
const load = {
  client: clientNameSchema,
  workload: nameSchema,
  ...combination,
  depth: z.int().min(1),
  sessions: z.int().min(1),
  /** Where the cells of a run differ by it: operations per second of the open loop. */
  ratePerSecond: z.number().positive().optional(),
  /** As requested, and of a comparison the table that it belongs to; absent where nothing was requested. */
  durability: requestedDurabilitySchema.optional(),
};

const cellIdentity = {
  id: z.string(),
  target: targetNameSchema,
  system: nameSchema,
  route: z.string(),
  ...load,
  /** Of optimized mode, where it was searched for: connections of the application server. */
  poolSize: z.int().min(1).optional(),
  profile: nameSchema.optional(),
};

const trialIdentity = { round: countSchema, file: z.string().nullable() };
const voidTrialSchema = z.strictObject({ ...trialIdentity, status: z.literal('void'), reason: z.string() });
const interruptedTrialSchema = z.strictObject({
  ...trialIdentity,
  status: z.literal('interrupted'),
  reason: z.string(),
});

/**
 * One trial of a cell as the summary lists it; its full result is in `results/<run>/trials/`. Rounds count
 * from 0, as in the file's name.
 */
export const trialSummarySchema = z.discriminatedUnion('status', [
  z.strictObject({
    round: countSchema,
    status: z.literal('ok'),
    tps: z.number(),
    file: z.string(),
    /** Trials before it that the host disturbed. */
    setAside: z.array(setAsideSchema).optional(),
  }),
  voidTrialSchema,
  interruptedTrialSchema,
]);
export type TrialSummary = z.infer<typeof trialSummarySchema>;

/** A trial of a void cell: one that passed is named, and its number stays in its file. */
export const voidCellTrialSchema = z.discriminatedUnion('status', [
  z.strictObject({ round: countSchema, status: z.literal('held'), file: z.string() }),
  voidTrialSchema,
  interruptedTrialSchema,
]);
export type VoidCellTrial = z.infer<typeof voidCellTrialSchema>;

/** What a cell without a mean still says. */
const unmeasuredCell = {
  ...cellIdentity,
  reason: z.string(),
  audit: trialAuditSchema,
  facts: factsSchema.nullable(),
  warnings: z.array(warningSchema),
};

/**
 * A cell of the summary: a union by its status, so that a number cannot stand beside a void.
 * A cell is `void` when one of its trials is, and then has no number at all; a cell whose last trials were
 * interrupted is `interrupted`: it keeps the numbers of its passed trials and has no mean.
 */
export const cellSummarySchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...cellIdentity,
    status: z.literal('ok'),
    /** Applied operations per second: mean over trials, 95 % confidence interval (null for one trial), each trial. */
    tps: z.strictObject({ mean: z.number(), ci95: intervalSchema.nullable(), trials: z.array(z.number()) }),
    latencyMs: latencySchema,
    /** Of the open loop; where the rate was not sustained, `latencyMs` are lower bounds. */
    openLoop: openLoopSummarySchema.optional(),
    counts: z.strictObject({
      applied: countSchema,
      declined: countSchema,
      faults: countSchema,
      retries: countSchema,
      declinedBy: z.record(z.string(), countSchema),
      faultsBy: z.partialRecord(faultCodeSchema, countSchema),
    }),
    /** CPU microseconds per applied operation; null where it could not be read. */
    cpuUsPerTxn: byPartSchema,
    /** MiB: the client's peak; the servers' at the end of the window, shared pages once; null where it could not be read. */
    rssMb: byPartSchema,
    /** Means over the trials with 95 % intervals, as throughput has; runs of before have none. */
    overTrials: z
      .strictObject({
        latencyMs: z.strictObject({ p50: estimateSchema, p99: estimateSchema }),
        cpuUsPerTxn: estimateByPartSchema,
        rssMb: estimateByPartSchema,
      })
      .optional(),
    audit: trialAuditSchema,
    /** The machine in the windows of the cell's trials; absent where it was not observed. */
    host: hostSummarySchema.optional(),
    inFlight: inFlightSchema.nullable(),
    facts: factsSchema,
    warnings: z.array(warningSchema),
    trials: z.array(trialSummarySchema),
  }),
  z.strictObject({ ...unmeasuredCell, status: z.literal('void'), trials: z.array(voidCellTrialSchema) }),
  z.strictObject({
    ...unmeasuredCell,
    status: z.literal('interrupted'),
    trials: z.array(trialSummarySchema),
  }),
  z.strictObject({
    ...cellIdentity,
    status: z.literal('unavailable'),
    reason: z.string(),
    remedy: z.string(),
  }),
]);
export type CellSummary = z.infer<typeof cellSummarySchema>;
export type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;

/** The load and the client of one end of a comparison. */
const comparedPointSchema = z.strictObject({
  client: clientNameSchema,
  sessions: z.int().min(1),
  depth: z.int().min(1),
});

/**
 * Geometric mean of the per-round ratios contender ÷ baseline. `client`, `depth` and `sessions` are of both,
 * or, where `points` distinguishes them, of the baseline.
 */
export const comparisonSchema = z.strictObject({
  baseline: targetNameSchema,
  contender: targetNameSchema,
  ...load,
  ratio: z.number(),
  /** Null when fewer than two rounds were measured: then nothing is significant. */
  ci95: intervalSchema.nullable(),
  /** Whether the ratio differs from 1, also among all comparisons of its table. */
  significant: z.boolean(),
  /** Of the test against 1; null without an interval. Runs of before have none. */
  pValue: z.number().nullable().optional(),
  /** The same, corrected for all comparisons of its table (Holm). */
  pValueAdjusted: z.number().nullable().optional(),
  /**
   * Server CPU time per applied operation, contender ÷ baseline: application server and database, paired by round. Absent
   * where it could not be read; unlike throughput the load client is not in it.
   */
  serverCpu: z.strictObject({ ratio: z.number(), ci95: intervalSchema.nullable() }).optional(),
  /** Rounds that both were measured in; runs of before do not say. */
  rounds: countSchema.optional(),
  /** Whether the run was designed for it: the two lie next to each other in every round. */
  isContrast: z.boolean().optional(),
  /** Whether the difference is smaller than this machine can detect; absent where that was not measured. */
  belowNoiseFloor: z.boolean().optional(),
  /**
   * What is compared where it is not two targets under the same load: each at its best point, two load clients
   * on one target, or tuning profiles.
   */
  of: z.enum(['best-points', 'clients', 'profiles']).optional(),
  points: z.strictObject({ baseline: comparedPointSchema, contender: comparedPointSchema }).optional(),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** A figure of the harness's own bench against its goal. */
export const figureSchema = z.strictObject({
  name: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  goal: z.string(),
  met: z.boolean(),
  /** Why there is no value, or how it was measured. */
  note: z.string(),
});
export type Figure = z.infer<typeof figureSchema>;

/** What the audits of all trials with a number rest on. */
const auditSummarySchema = z.strictObject({
  /** Of one trial: the largest outcome log that was read. */
  logBytesMax: countSchema,
  /** What a load client keeps of it: then reads are left out. */
  logBytesBound: countSchema,
  /** Reads of every so many rows were logged, in the trial with the fewest: 1, 2, 4, or 0 for none. */
  readsOfEvery: countSchema,
  /** By operation, in words. */
  asserted: z.array(z.strictObject({ operation: z.string(), assertions: z.array(z.string()) })),
});
export type AuditSummary = z.infer<typeof auditSummarySchema>;

/** `results/<run>/summary.json`. */
export const runSummarySchema = z.strictObject({
  schemaVersion: z.literal(1),
  run: z.strictObject({
    id: z.string(),
    mode: modeSchema,
    workload: nameSchema,
    seed: z.string(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    interrupted: z.boolean(),
    command: z.string(),
    environment: environmentSchema,
    /** The most that a cell was measured in; `cells[].tps.trials` and `comparisons[].rounds` have their own. */
    rounds: countSchema,
    durationMs: countSchema,
    warmupMs: countSchema,
    loop: z.string(),
    /** The most that servers of other targets took of the processors in any trial. */
    idleServersShareMax: z.number().min(0).optional(),
    /** A trial with a larger share of its operations in doubt is void; runs of before do not say. */
    inDoubtShareMax: z.number().min(0).max(1).optional(),
    /** What the run measured beyond the request, or left out of it, in sentences. */
    notes: z.array(z.string()).optional(),
  }),
  verdict: verdictSchema,
  parity: z.array(parityRowSchema),
  cells: z.array(cellSummarySchema),
  comparisons: z.array(comparisonSchema),
  figures: z.array(figureSchema).optional(),
  /** What the audits asserted; absent without an audited trial, and in runs of before. */
  audit: auditSummarySchema.optional(),
  /** What each measured target's durability rests on; runs of before do not say. */
  durability: z.array(targetDurabilitySchema).optional(),
  /** Of optimized mode: what was tried for each target before the rounds. */
  search: z.array(searchSchema).optional(),
  /** Of a run whose options have several values of a parameter. */
  sweeps: z.array(sweepSchema).optional(),
  /** Of `explain`, and of a claim that was explained. */
  explanation: explanationSchema.optional(),
  /** Of published mode. */
  claim: claimResultSchema.optional(),
  /** Differences below it are noise; absent when none was measured on this machine. */
  noiseFloor: noiseFloorSchema.optional(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** `summary.json` of `npm run bench:self`: the harness measured against its own goals. */
export const selfBenchSummarySchema = z.strictObject({
  schemaVersion: z.literal(1),
  run: z.strictObject({
    id: z.string(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    interrupted: z.boolean(),
    command: z.string(),
    environment: environmentSchema,
  }),
  figures: z.array(figureSchema),
});
export type SelfBenchSummary = z.infer<typeof selfBenchSummarySchema>;
