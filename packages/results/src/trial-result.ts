import { z } from 'zod';
import { countSchema, faultCodeSchema } from '@fair-bench/contract';
import { hostConditionsSchema } from './host.ts';
import { protocolVersion } from './trial-plan.ts';

/** Counted outcomes. Only `applied` is throughput. */
const outcomeCountsSchema = z.strictObject({
  applied: countSchema,
  /** By the workload's reasons. */
  declined: z.record(z.string(), countSchema),
  faults: z.partialRecord(faultCodeSchema, countSchema),
  /** Attempts beyond the first, as reported with the outcomes. */
  retries: countSchema,
  /** Faults after which the operation may have been applied; a part of `faults`. */
  inDoubt: countSchema,
});
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>;

/** An HDR histogram in V2 compressed encoding, base64; values are whole microseconds, 3 significant digits. */
const histogramSchema = z.strictObject({
  count: countSchema,
  /** Sum of the unrounded values in microseconds: the exact mean is `sumUs / count`. */
  sumUs: z.number().min(0),
  maxUs: z.number().min(0),
  hdr: z.string(),
});
export type EncodedHistogram = z.infer<typeof histogramSchema>;

/** Latency by outcome. */
const latencySchema = z.strictObject({
  applied: histogramSchema,
  declined: histogramSchema,
  faults: histogramSchema,
});

const operationCountsSchema = z.strictObject({
  applied: countSchema,
  declined: countSchema,
  faults: countSchema,
});
export type OperationCounts = z.infer<typeof operationCountsSchema>;

/** One operation of the workload; the operations' counts and histograms add up to the trial's. */
const operationResultSchema = z.strictObject({
  name: z.string(),
  /** Whether it writes: then each applied one commits. */
  writes: z.boolean(),
  window: operationCountsSchema,
  total: operationCountsSchema,
  latency: latencySchema,
});
export type OperationResult = z.infer<typeof operationResultSchema>;

const seriesPointSchema = z.strictObject({
  /** Whole seconds since the first operation. */
  second: countSchema,
  ...operationCountsSchema.shape,
  /** Mean latency of what completed in this second, milliseconds; null when nothing did. */
  latencyMsMean: z.number().nullable(),
});
export type SeriesPoint = z.infer<typeof seriesPointSchema>;

/** One of several load agents in a trial. */
const agentShareSchema = z.strictObject({
  name: z.string(),
  sessionFirst: countSchema,
  sessionCount: countSchema,
  /** Applied within the window. */
  applied: countSchema,
  cores: countSchema,
  cpuUserUs: z.number().min(0),
  cpuSystemUs: z.number().min(0),
  /** How busy its busiest load thread was in the window, 0 to 1; an estimate by CPU time where there is no event loop. */
  utilization: z.number().min(0).max(1),
  /** Deviation of its window's begin from the agreed instant, milliseconds; negative if it was early. */
  windowSkewMs: z.number(),
  /** The possible error of that: half of the round trip, plus the drift of its clock. */
  clockErrorMs: z.number().min(0),
  roundTripMs: z.number().min(0),
  /**
   * How long after the agreed beginning or end of its window the runner heard of it, the smaller of both, in
   * milliseconds. A negative value, or one far above the round trip, shows that the clocks were compared wrongly.
   */
  heardAfterMs: z.number(),
  /** How long its window was by its own clock, and how long by the runner's from hearing of its beginning to hearing of its end. */
  windowMs: z.number().min(0),
  windowMsHeard: z.number(),
  /** Its machine in the window; absent where that is the runner's, whose own the trial has. */
  host: hostConditionsSchema.optional(),
  /** Its process where its machine is the runner's: one of the run's. */
  pid: countSchema.optional(),
});
export type AgentShare = z.infer<typeof agentShareSchema>;

/** What a load client writes at the end of a trial; the same for both twins. */
export const clientResultSchema = z.strictObject({
  protocol: z.literal(protocolVersion),
  trialId: z.string(),
  client: z.strictObject({
    name: z.enum(['node', 'native']),
    version: z.string(),
    runtime: z.string(),
    pid: countSchema,
  }),
  /** `stopped`: stopped before the window was over; then its numbers cover a shorter window. */
  ending: z.enum(['complete', 'stopped']),
  timing: z.strictObject({
    startedAt: z.iso.datetime(),
    /** The first operation's time on the machine's monotonic clock, microseconds. */
    startUs: z.number().min(0),
    warmupMs: z.number().min(0),
    /** The window's true length: divide by this, not by the planned one. */
    windowMs: z.number().min(0),
    drainMs: z.number().min(0),
  }),
  /** Completions within the window. Throughput is `window.applied / windowMs`. */
  window: outcomeCountsSchema,
  /** Everything from the first operation to the end of the drain. */
  total: outcomeCountsSchema,
  /** The most operations outstanding at once, counted by the client. */
  outstandingPeak: countSchema,
  /** Operations without a reply by the end of the drain; counted as `timeout` and in doubt. */
  unanswered: countSchema,
  /**
   * Latency of operations that completed in the window or were outstanding when it ended, by outcome.
   * Closed loop: from sending. Open loop: from the intended start.
   */
  latency: latencySchema,
  /** In the order of the description, including those never drawn. */
  operations: z.array(operationResultSchema).min(1),
  /** Mean latency of completions within the window, all outcomes, milliseconds: for Little's law. */
  latencyMsMeanWindow: z.number().min(0),
  /** The due and the missed operations of an open loop; null in the closed loop. */
  openLoop: z
    .strictObject({
      /** Operations that fell due in the window. */
      due: countSchema,
      /** Operations that were started in the window, regardless of when they were due. */
      started: countSchema,
      /** Operations due before the window's end that were never started. */
      neverStarted: countSchema,
      /**
       * Lower bounds of the latencies of operations that were never started: their waiting time at the window's end. The
       * unanswered are among the faults, with their waiting time at the drain's end.
       */
      unfinished: histogramSchema,
    })
    .nullable(),
  /** Replies by 10 ms slots of the window: shows whether replies come in bursts. */
  replySlots: z.strictObject({
    slotMs: z.number(),
    slots: countSchema,
    empty: countSchema,
    max: countSchema,
    /** By slot, for what was acknowledged at a moment of the window. */
    counts: z.array(countSchema),
  }),
  /** Applied operations by slots of 100 ms of the window. */
  appliedSlots: z.array(countSchema),
  series: z.array(seriesPointSchema),
  /** The load client's own effort in the window. */
  effort: z.strictObject({
    cpuUserUs: z.number().min(0),
    cpuSystemUs: z.number().min(0),
    /**
     * How busy the busiest thread was, 0 to 1: in Node the share of the window in which its event loop was not idle,
     * in the native client its CPU time ÷ window; null where the system does not report it.
     */
    loopUtilization: z.number().min(0).max(1).nullable(),
    rssBytesMax: countSchema,
    /** For how long garbage collection stopped the one thread; absent where it was not observed. */
    gcMs: z.number().min(0).optional(),
  }),
  log: z
    .strictObject({
      path: z.string(),
      bytes: countSchema,
      /** SHA-256 of the file, hexadecimal. */
      sha256: z.string(),
    })
    .nullable(),
});
export type ClientResult = z.infer<typeof clientResultSchema>;

/** The result of a trial: its load clients' together, and what the leader of its warm-up found. */
export const trialResultSchema = clientResultSchema.extend({
  steadyState: z.strictObject({
    /** Whether throughput was steady before the window began. */
    reached: z.boolean(),
    /** Change of throughput over the window by linear regression, as a share of its mean. */
    windowDrift: z.number(),
  }),
  /** Of a trial that several machines carried. */
  agents: z.array(agentShareSchema).min(1).optional(),
});
export type TrialResult = z.infer<typeof trialResultSchema>;
