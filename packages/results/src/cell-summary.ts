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
import { z } from 'zod';
import { combination } from './combination.ts';
import { hostSummarySchema } from './host.ts';
import { discardedTrialSchema } from './discarded-trials.ts';
import { openLoopSummarySchema } from './open-loop.ts';
import { loadFields } from './settings/load-fields.ts';

/** A self-check that failed without voiding the trial, with a remedy. */
export const warningSchema = z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() });
export type Warning = z.infer<typeof warningSchema>;

/** One value per part of a target; null where it could not be read. */
export const byPartSchema = z.strictObject({
  client: z.number(),
  appServer: z.number().nullable(),
  pooler: z.number().nullable().default(null),
  database: z.number().nullable(),
});

export const estimateSchema = z.strictObject({ mean: z.number(), ci95: intervalSchema.nullable() });

/** The prediction interval of the next run on this machine: with the deviation from run to run, about which rounds of one run say nothing. */
export const anyRunSchema = z.strictObject({
  ci95: intervalSchema,
  /** Of the logarithm, from run to run. */
  deviation: z.number().min(0),
  /** Earlier runs of the same work on the same machine that it is known from; 0: it is assumed. */
  runs: countSchema,
});

const estimateByPartSchema = z.strictObject({
  client: estimateSchema,
  appServer: estimateSchema.nullable(),
  pooler: estimateSchema.nullable().default(null),
  database: estimateSchema.nullable(),
});

/**
 * Milliseconds, from the merged histograms of a cell's trials: of all operations, applied, declined or failed, and, in the
 * open loop, the lower bounds of those never started.
 */
export const latencySchema = z.strictObject({
  mean: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});
export type LatencyMs = z.infer<typeof latencySchema>;

/**
 * A cell's audits together: the worst status, the smallest number of accounts that one of them checked, sums of the
 * rest.
 */
const trialAuditSchema = z.strictObject({
  status: z.enum(['passed', 'failed', 'not-run']),
  rowsChecked: countSchema,
  mismatches: countSchema,
  inDoubt: countSchema,
});

/** The load of a measurement, as fields of a schema. */
export const load = {
  workload: nameSchema,
  ...combination,
  ...loadFields,
  /** As requested; for a comparison, its table; absent where nothing was requested. */
  durability: requestedDurabilitySchema.optional(),
};

const cellIdentity = {
  id: z.string(),
  target: targetNameSchema,
  system: nameSchema,
  route: z.string(),
  ...load,
  /** In optimized mode, if it was searched: connections of the application server. */
  poolSize: z.int().min(1).optional(),
  profile: nameSchema.optional(),
};

/** Earlier trials of the same round that were disturbed or void. */
const repeats = { discardedTrials: z.array(discardedTrialSchema).optional() };
const trialIdentity = { round: countSchema, file: z.string().nullable(), ...repeats };
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
const trialSummarySchema = z.discriminatedUnion('status', [
  z.strictObject({
    round: countSchema,
    status: z.literal('ok'),
    tps: z.number(),
    file: z.string(),
    ...repeats,
  }),
  voidTrialSchema,
  interruptedTrialSchema,
]);

/** A trial of a void cell; the number of one that passed stays in its file. */
const voidCellTrialSchema = z.discriminatedUnion('status', [
  z.strictObject({ round: countSchema, status: z.literal('held'), file: z.string(), ...repeats }),
  voidTrialSchema,
  interruptedTrialSchema,
]);
export type VoidCellTrial = z.infer<typeof voidCellTrialSchema>;

/** What a cell without a mean reports. */
const unmeasuredCell = {
  ...cellIdentity,
  reason: z.string(),
  audit: trialAuditSchema,
  facts: factsSchema.nullable(),
  warnings: z.array(warningSchema),
};

/**
 * A cell of the summary: a union by its status, so that a void cell cannot have a number. A cell is `void` when one of
 * its trials is void. A cell that lacks some trials after an interruption is `interrupted`: it keeps
 * the numbers of those that passed, without a mean.
 */
export const cellSummarySchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...cellIdentity,
    status: z.literal('ok'),
    /** On how many starts of its servers it was measured. */
    deployments: z.int().min(1),
    /**
     * Applied operations per second: mean over trials, 95 % confidence interval of this run (null for one trial), each
     * trial; with the deviation between runs, where earlier runs were looked at.
     */
    tps: z.strictObject({
      mean: z.number(),
      ci95: intervalSchema.nullable(),
      anyRun: anyRunSchema.optional(),
      trials: z.array(z.number()),
    }),
    /** The cost of a million applied operations at this throughput; absent where the configuration has no price of the target. */
    costPerMillion: z.strictObject({ amount: z.number().positive(), currency: z.string() }).optional(),
    /** The shortest and longest window of its trials: slow cells get longer ones. */
    windowMs: z.tuple([z.number(), z.number()]),
    latencyMs: latencySchema,
    /** The same of the operations with each outcome; null where none had it. */
    latencyMsByOutcome: z.strictObject({
      applied: latencySchema.nullable(),
      declined: latencySchema.nullable(),
      faults: latencySchema.nullable(),
    }),
    /** For a workload whose operations have times: means over the trials, by operation. */
    operations: z
      .array(
        z.strictObject({
          operation: z.string(),
          /** What people call it, and for how long 90 of a hundred may take: as the workload says. */
          as: z.string().exactOptional(),
          p90MsMax: z.number().exactOptional(),
          /** Applied operations of this kind. */
          perMinute: estimateSchema,
          /** Of all operations that ended, also declined and failed ones. */
          share: z.number(),
          declined: countSchema,
          faults: countSchema,
          latencyMs: z.strictObject({ p50: z.number(), p90: z.number(), p99: z.number() }).nullable(),
        }),
      )
      .optional(),
    /** For the open loop; where the rate was not sustained, `latencyMs` are lower bounds. */
    openLoop: openLoopSummarySchema.optional(),
    counts: z.strictObject({
      applied: countSchema,
      declined: countSchema,
      faults: countSchema,
      retries: countSchema,
      declinedBy: z.record(z.string(), countSchema),
      faultsBy: z.partialRecord(faultCodeSchema, countSchema),
    }),
    /** With `--cold`, means over the trials; null where it was not observed. */
    coldStart: z
      .strictObject({
        /** Until the engine was open. */
        openMs: estimateSchema.nullable(),
        /** From the first operation on: applied operations, and the mean latency of all outcomes. */
        firstSecond: z
          .strictObject({ tps: estimateSchema, latencyMsMean: estimateSchema.nullable() })
          .nullable(),
      })
      .optional(),
    /** Of an engine in the load client, means over the trials; null where it was not observed. */
    amplification: z
      .strictObject({
        /** Bytes that the disk wrote in the window ÷ bytes of the data that operations wrote in it. */
        write: estimateSchema.nullable(),
        /** Bytes of the files on their disk ÷ bytes of the data in them, at the end, and after the engine's own compaction. */
        space: estimateSchema.nullable(),
        spaceCompacted: estimateSchema.nullable(),
      })
      .optional(),
    /** Applied operations of the worst whole second of any window; absent for windows of less than ten. */
    worstSecondTps: z.number().min(0).optional(),
    /** Applied operations that write, for each flush; absent where flushes are not seen, and of reads. */
    operationsPerFlush: z.number().positive().optional(),
    /** CPU microseconds per applied operation; null where it could not be read. */
    cpuUsPerTxn: byPartSchema,
    /** MiB: the client's peak; the servers' at the end of the window, shared pages once; null where it could not be read. */
    rssMb: byPartSchema,
    /** Means over the trials with 95 % intervals, like throughput. */
    overTrials: z.strictObject({
      latencyMs: z.strictObject({ p50: estimateSchema, p99: estimateSchema }),
      cpuUsPerTxn: estimateByPartSchema,
      rssMb: estimateByPartSchema,
    }),
    audit: trialAuditSchema,
    /** The machine in the windows of the cell's trials; absent if not observed. */
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
    /** Available, perhaps, but the budget cannot hold it. */
    leftOut: z.literal(true).optional(),
    reason: z.string(),
    remedy: z.string(),
  }),
]);
export type CellSummary = z.infer<typeof cellSummarySchema>;
export type MeasuredCell = Extract<CellSummary, { status: 'ok' }>;
