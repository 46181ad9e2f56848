import {
  countSchema,
  durabilitySchema,
  faultCodeSchema,
  nameSchema,
  targetNameSchema,
} from '@fair-bench/contract';
import { z } from 'zod';
import { protocolVersion } from './trial-plan.ts';
import { trialResultSchema } from './trial-result.ts';

/** What can be done to a running target, in the order of reports. */
export const injectedFaultKinds = [
  'kill',
  'pause',
  'conn-reset',
  'network',
  'disk-full',
  'slow-disk',
  'power-cut',
] as const;
const kindSchema = z.enum(injectedFaultKinds);
export type InjectedFaultKind = z.infer<typeof kindSchema>;

/** A fault as it was requested. */
export const requestedFaultSchema = z.strictObject({
  kind: kindSchema,
  /** How long it lasts, milliseconds; 0 for one that is over at once. */
  lengthMs: countSchema,
  /** From the window's beginning, milliseconds; absent: drawn by the seed, another time in each trial. */
  atMs: countSchema.optional(),
});
export type RequestedFault = z.infer<typeof requestedFaultSchema>;

/** As it is injected: its time is known. */
const timedFaultSchema = requestedFaultSchema.extend({ atMs: countSchema });
export type TimedFault = z.infer<typeof timedFaultSchema>;

/** The part of a plan that injects faults: each fault into each cell, in trials of their own. */
export const faultPlanSchema = z.strictObject({
  faults: z.array(requestedFaultSchema).min(1),
  /** Trials of each fault and cell. */
  trials: z.int().min(1),
  /** Operations per second; absent: 40 % of what the slowest cell of the rounds did. */
  ratePerSecond: z.number().positive().optional(),
});
export type FaultPlan = z.infer<typeof faultPlanSchema>;

const identity = {
  cellId: z.string(),
  target: targetNameSchema,
  connector: nameSchema,
  fault: timedFaultSchema,
  /** From 0. */
  trial: countSchema,
};

/** What the rows show of the operations that were acknowledged. */
const rowsFoundSchema = z.strictObject({
  /**
   * `differs`: rows or replies that the acknowledged operations do not explain, and neither losses nor doublings do. `undecided`: too
   * much was in doubt to decide. `gone`: no row can be read, because its servers do not start again or have no such table.
   */
  outcome: z.enum(['kept', 'lost', 'doubled', 'differs', 'undecided', 'gone']),
  /** Acknowledged and not in the rows; null where the rows do not tell how many. */
  lost: countSchema.nullable(),
  /** Acknowledged once and carried out twice; null likewise. */
  doubled: countSchema.nullable(),
  /** Rows that no choice of the operations in doubt explains. */
  rowsUnexplained: countSchema,
  /** Acknowledged operations whose loss would be invisible: all of their rows belong to operations in doubt. */
  couldHide: countSchema,
  reason: z.string().nullable(),
  examples: z.array(z.string()).readonly(),
});
export type RowsFound = z.infer<typeof rowsFoundSchema>;

/** When the fault happened, milliseconds from the window's beginning by the machine's clock. */
const courseSchema = z.strictObject({
  /** It began: a moment later it was in force. */
  beganMs: z.number(),
  /** The processes were gone, stopped, or cut off. */
  inForceMs: z.number(),
  /** It was over: what was killed answered again, what was stopped ran again. */
  endedMs: z.number(),
  /** The first operation that was sent when it was in force was applied; null where none was. Without times, the end of the first tenth of a second with one. */
  firstAppliedMs: z.number().nullable(),
  /** Operations that were sent before the servers were gone and acknowledged as applied long after. */
  answeredByTheDead: countSchema,
  /** Whether operations have times in the log: without them nobody knows what the dead answered. */
  isTimed: z.boolean(),
  /** What a disk that forgets gave back at a power cut. */
  forgotten: z.strictObject({ files: countSchema, bytes: countSchema, names: countSchema }).optional(),
});

/**
 * `results/<run>/faults/<cell>-<fault>-<n>.json`: a trial in which a fault was injected. A union by its status: one without evidence
 * has no number.
 */
export const faultTrialSchema = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('ok'),
    ...identity,
    system: z.string(),
    version: z.string(),
    durability: durabilitySchema,
    ratePerSecond: z.number().positive(),
    /** Operations of a request. */
    batch: z.int().min(1),
    result: trialResultSchema.extend({ protocol: z.int().min(1).max(protocolVersion) }),
    course: courseSchema,
    rows: rowsFoundSchema,
    /** What had to be done besides the fault's own end before the rows could be read: servers that were started again. */
    startedByHand: countSchema,
    /** Why a node of the user's cluster did not come back, while the others answer. */
    notBack: z.string().optional(),
  }),
  z.strictObject({
    status: z.literal('void'),
    ...identity,
    reason: z.string(),
    /** The rule that it breaks; absent where nothing could be judged. */
    rule: z.enum(['F56', 'F57', 'F58']).optional(),
  }),
  z.strictObject({ status: z.literal('unavailable'), ...identity, reason: z.string(), remedy: z.string() }),
  z.strictObject({ status: z.literal('interrupted'), ...identity }),
]);
export type FaultTrial = z.infer<typeof faultTrialSchema>;
export type MeasuredFaultTrial = Extract<FaultTrial, { status: 'ok' }>;

/** The file of a trial, relative to the run's folder. */
export function faultTrialFile({ cellId, fault, trial }: FaultTrial): string {
  return `faults/${cellId}-${fault.kind}-${trial}.json`;
}

/** Over the trials of a fault: the middle one, and the worst. Milliseconds. */
const overTrialsSchema = z.strictObject({ median: z.number(), worst: z.number() });

/** One fault on one cell, as `summary.json` has it. */
export const faultSummarySchema = z.strictObject({
  cellId: z.string(),
  target: targetNameSchema,
  fault: kindSchema,
  lengthMs: countSchema,
  /** Null where no trial says. */
  durability: durabilitySchema.nullable(),
  trials: countSchema,
  void: countSchema,
  /** Why trials are void, each once. */
  reasons: z.array(z.string()),
  /** Null without a trial that counts. */
  found: z
    .strictObject({
      ratePerSecond: z.number().positive(),
      /** Trials by what their rows show. */
      kept: countSchema,
      lossy: countSchema,
      doubling: countSchema,
      differing: countSchema,
      undecided: countSchema,
      /** Trials after which no row can be read any more. */
      gone: countSchema,
      acknowledged: countSchema,
      /** Over the trials whose rows tell how many. */
      lost: countSchema,
      doubled: countSchema,
      /** Names that a power cut took back or gave back, over all trials; null for other faults. */
      namesForgotten: countSchema.nullable(),
      inDoubt: countSchema,
      /** Faults by their code, over all trials; those in doubt are among them. */
      errors: z.partialRecord(faultCodeSchema, countSchema),
      /** From the fault's beginning to the first operation that was sent after it and applied. Null where none was in a trial. */
      firstAppliedMs: overTrialsSchema.nullable(),
      /** From the fault's beginning until half a second with 90 % of the throughput before; null where a trial never had it. */
      recoveredMs: overTrialsSchema.nullable(),
      /** The largest latency of an applied operation, from when it was due. */
      latencyMsMax: overTrialsSchema,
      /** Trials in which servers had to be started by hand. */
      byHand: countSchema,
      example: z.string().nullable(),
    })
    .nullable(),
  /** Each trial's applied operations in tenths of a second of the window, and when its fault began and ended, in milliseconds. */
  courses: z.array(
    z.strictObject({
      appliedSlots: z.array(countSchema),
      beganMs: z.number(),
      endedMs: z.number(),
    }),
  ),
});
export type FaultSummary = z.infer<typeof faultSummarySchema>;
