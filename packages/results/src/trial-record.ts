import { z } from 'zod';
import {
  countSchema,
  type Facts,
  factsSchema,
  inFlightSchema,
  isolationFindingSchema,
  workCountersSchema,
} from '@fair-bench/contract';
import { observedSchema } from './observed.ts';
import { protocolVersion } from './trial-plan.ts';
import { trialResultSchema } from './trial-result.ts';
import { hostConditionsSchema } from './host.ts';
import { discardedTrialSchema } from './discarded-trials.ts';
import { byPartSchema, warningSchema } from './cell-summary.ts';
import { soakSliceSchema } from './soak.ts';

/** The stored form of the contract's OperationFinding. */
const operationFindingSchema = z.strictObject({
  operation: z.string(),
  as: z.string().exactOptional(),
  p90MsMax: z.number().exactOptional(),
  applied: countSchema,
  declined: countSchema,
  faults: countSchema,
  latencyMs: z
    .strictObject({ mean: z.number(), p50: z.number(), p90: z.number(), p99: z.number(), max: z.number() })
    .nullable(),
});

/** What the replay can find: its assertions by operation, what it does not assert, and the share of rows whose reads it checks. */
const stated = {
  asserted: z
    .array(
      z.strictObject({
        operation: z.string(),
        assertions: z.array(z.string()).readonly(),
        notAsserted: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly()
    .optional(),
  readsOfEvery: z.int().min(0).optional(),
  /** Acknowledged operations whose loss would be invisible behind those in doubt. */
  couldHide: z.int().min(0).optional(),
  /** For a workload whose operations return versions. */
  isolation: isolationFindingSchema.exactOptional(),
  /** For a workload that states conditions: `fact` says why one does not hold, and is null where it does. */
  conditions: z
    .array(z.strictObject({ name: z.string(), fact: z.string().nullable() }))
    .readonly()
    .exactOptional(),
  /** For a workload whose operations have times: each in the timed window. */
  operations: z.array(operationFindingSchema).readonly().exactOptional(),
  /** Operations that were rightly declined: in every state that they can have found, or in some; absent where nothing was declined. */
  declines: z.strictObject({ certain: countSchema, possible: countSchema }).exactOptional(),
};

/** The findings of the replay; the stored form of the contract's ReplayFinding. */
const auditFindingSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('passed'),
    rowsChecked: z.int().min(0),
    mismatches: z.literal(0),
    inDoubt: z.int().min(0),
    inDoubtApplied: z.int().min(0),
    ...stated,
  }),
  z.strictObject({
    status: z.literal('failed'),
    rowsChecked: z.int().min(0),
    mismatches: z.int().min(0),
    inDoubt: z.int().min(0),
    reason: z.string(),
    examples: z.array(z.string()).readonly(),
    ...stated,
  }),
]);

const identity = {
  cellId: z.string(),
  round: z.int().min(0),
  /** Which start of its target it was measured on, from 1; absent if none answered. */
  deployment: z.int().min(1).optional(),
  /** Of the window; absent where the system does not say, and where no window was measured. */
  host: hostConditionsSchema.optional(),
  /** Trials of the same cell and round that were measured again, in order. */
  discardedTrials: z.array(discardedTrialSchema).optional(),
};

/** A trial without a number: void, or cut short by an interruption. */
const unmeasured = {
  ...identity,
  reason: z.string(),
  /** Null when the trial did not get as far as its audit. */
  audit: auditFindingSchema.nullable(),
  facts: factsSchema.nullable(),
  warnings: z.array(warningSchema),
  /** The audit rules that voided it; absent if it never reached its audit. */
  voidBy: z.array(z.string()).optional(),
};

/** What the load client with an engine in its process was allowed and took, and the engine's files before the load. */
const limitedMemorySchema = z.strictObject({
  limitBytes: countSchema.nullable(),
  /** Page cache included. */
  peakBytes: countSchema.nullable(),
  filesBytes: countSchema,
  /** Of the files, in the page cache. */
  residentBytes: countSchema.nullable(),
});

/** Runs by an earlier protocol are read again, as far as their other fields are those of today. */
const storedResultSchema = trialResultSchema.extend({ protocol: z.int().min(1).max(protocolVersion) });

/** What was cold when the load client opened the engine, and what it cost. */
const coldStartSchema = z.strictObject({
  filesBytes: countSchema,
  /** Of the files, in the page cache; null where nothing here can tell. */
  residentBytes: countSchema.nullable(),
  /** Until the engine was open; null where the load client does not say. */
  openMs: z.number().min(0).nullable(),
  /** From the first operation on; null for a trial that was shorter. */
  firstSecond: z.strictObject({ applied: countSchema, latencyMsMean: z.number().nullable() }).nullable(),
});

/** Bytes of an engine in the load client. Data: values at the width of their types, with the keys of their rows. */
const engineFilesSchema = z.strictObject({
  /** Written to disks in the window by the engine's process; null where the kernel does not say. */
  windowWrittenBytes: countSchema.nullable(),
  /** Of the data that operations applied in the window wrote; null where their arguments decide how much. */
  windowDataBytes: countSchema.nullable(),
  /** The room of the files on their disk when the load had ended, and of the data in them. */
  filesBytes: countSchema,
  dataBytes: countSchema.nullable(),
  /** The engine's own compaction, after the audit. */
  compaction: z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('done'), filesBytes: countSchema }),
    z.strictObject({ status: z.literal('none') }),
    z.strictObject({ status: z.literal('failed'), reason: z.string() }),
  ]),
});

/**
 * One trial as stored in `results/<run>/trials/<cell>-r<round>.json`: a union by its status, so that a void has no
 * number. CPU is microseconds over the window, memory MiB at the window's end; null where it could not be read.
 */
export const trialRecordSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('ok'),
    ...identity,
    /** The seed of its operations: `seedOfRound` of the run's seed. */
    streamSeed: z.string(),
    result: storedResultSchema,
    /** The processors that its processes could use, as the kernel listed them: `0`, `1,3`. */
    cores: z.strictObject({ client: z.string(), servers: z.array(z.string()) }).optional(),
    /** With `--memory`, in bytes; null where the kernel or the machine does not say. */
    memory: limitedMemorySchema.optional(),
    /** With `--cold`. */
    cold: coldStartSchema.optional(),
    /** Absent for a server. */
    engineFiles: engineFilesSchema.optional(),
    /** Of a slice of a soak. */
    soak: soakSliceSchema.optional(),
    /** Applied operations per second of the window. */
    tps: z.number().min(0),
    cpuUs: byPartSchema,
    rssMb: byPartSchema,
    audit: auditFindingSchema,
    factsBefore: factsSchema,
    factsAfter: factsSchema,
    countersBefore: workCountersSchema,
    countersAfter: workCountersSchema,
    /** While it lasted: of the database's log where it counts them, otherwise of the disk; absent where neither is seen. */
    flushes: countSchema.optional(),
    inFlight: inFlightSchema.nullable(),
    observed: observedSchema,
    /** CPU time of the other targets' servers in the window ÷ that of all processors; absent for a single target. */
    idleServersShare: z.number().min(0).optional(),
    warnings: z.array(warningSchema),
  }),
  z.strictObject({ status: z.literal('void'), ...unmeasured }),
  z.strictObject({ status: z.literal('interrupted'), ...unmeasured }),
]);
export type TrialRecord = z.infer<typeof trialRecordSchema>;

/** A trial whose number may be used. */
export type PassedTrial = Extract<TrialRecord, { status: 'ok' }>;

export function isPassed(trial: TrialRecord): trial is PassedTrial {
  return trial.status === 'ok';
}

/** The record of a trial that has nothing to be judged by. */
export function unmeasuredTrial(
  status: 'void' | 'interrupted',
  which: Pick<TrialRecord, 'cellId' | 'round' | 'deployment'>,
  reason: string,
  facts: Facts | null = null,
): TrialRecord {
  return { status, ...which, reason, audit: null, facts, warnings: [] };
}

/** The record without its number if its audit failed, whatever its status says. */
export function withoutUnauditedNumber(trial: TrialRecord): TrialRecord {
  if (trial.status !== 'ok' || trial.audit.status === 'passed') return trial;
  const { cellId, round, audit, factsAfter: facts, warnings } = trial;
  return { status: 'void', cellId, round, reason: trial.audit.reason, audit, facts, warnings };
}

/** Where a trial's record is kept, relative to the run's folder. */
export function trialFile({ cellId, round }: Pick<TrialRecord, 'cellId' | 'round'>): string {
  return `trials/${cellId}-r${round}.json`;
}
