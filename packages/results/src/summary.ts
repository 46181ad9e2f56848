import { countSchema, intervalSchema, nameSchema, targetNameSchema } from '@fair-bench/contract';
import { z } from 'zod';
import { anyRunSchema, type CellSummary, cellSummarySchema, load } from './cell-summary.ts';
import { claimResultSchema } from './claim-result.ts';
import { disturbanceSchema } from './disturbance.ts';
import { durabilityBasisSchema, targetDurabilitySchema } from './durability.ts';
import { environmentSchema } from './environment.ts';
import { explanationSchema } from './explanation.ts';
import { faultSummarySchema } from './injected-fault.ts';
import { soakSummarySchema } from './soak.ts';
import { targetIsolationSchema } from './isolation.ts';
import { noiseFloorSchema } from './noise-floor.ts';
import { modeSchema, workloadSha256Schema } from './run-plan.ts';
import { searchSchema } from './search.ts';
import { sameExcept } from './settings/points.ts';
import { loadFields } from './settings/load-fields.ts';
import { sweepSchema } from './sweep.ts';

/** A rule of FAIR-BENCHMARK.md that the targets did not meet. */
const differenceSchema = z.strictObject({
  rule: z.string().regex(/^F\d+$/),
  subject: z.string(),
  /** Target → what was found there. */
  values: z.record(z.string(), z.string()),
  message: z.string(),
});
export type Difference = z.infer<typeof differenceSchema>;

const verdictSchema = z.strictObject({
  fair: z.boolean(),
  /** The same as a label that no reader misses; `VALID` where no rule is broken and fewer than two targets have a number. */
  label: z.enum(['FAIR', 'VALID', 'NOT FAIR']),
  differences: z.array(differenceSchema),
  /** Whether others used the machine in more than a quarter of a cell's trials. */
  disturbed: z.boolean(),
  /** Targets with a number; absent in runs of earlier versions, as `trials` is. */
  targets: countSchema.optional(),
  /** All that were audited, and the void ones of them: each void counts, also of a trial that was measured again. */
  trials: z.strictObject({ audited: countSchema, void: countSchema }).optional(),
});
export type Verdict = z.infer<typeof verdictSchema>;

/** One line of the parity table. `equal`: must be the same everywhere; `shown`: differs by nature. */
const parityRowSchema = z.strictObject({
  rule: z.string().regex(/^F\d+$/),
  subject: z.string(),
  kind: z.enum(['equal', 'shown', 'profile']),
  holds: z.boolean(),
  values: z.record(z.string(), z.string()),
  /** Target → how its value is known, if not by reading the live system. */
  bases: z.record(z.string(), durabilityBasisSchema).optional(),
});
export type ParityRow = z.infer<typeof parityRowSchema>;

/** The load and the client of one end of a comparison. */
const comparedPointSchema = z.strictObject({
  client: loadFields.client,
  sessions: loadFields.sessions,
  depth: loadFields.depth,
});

/**
 * Geometric mean of the per-round ratios contender ÷ baseline. `client`, `depth` and `sessions` apply to both or,
 * where `points` distinguishes them, to the baseline.
 */
const comparisonSchema = z.strictObject({
  baseline: targetNameSchema,
  contender: targetNameSchema,
  ...load,
  ratio: z.number(),
  /** Of this run. Null when fewer than two rounds were measured: then nothing is significant. */
  ci95: intervalSchema.nullable(),
  /** The same with the deviation between runs; absent where earlier runs were not looked at. */
  anyRun: anyRunSchema.optional(),
  /** Whether the ratio differs from 1, corrected for all comparisons of its table. */
  significant: z.boolean(),
  /** Of the test against 1; null without an interval. */
  pValue: z.number().nullable(),
  /** The same, corrected for all comparisons of its table (Holm). */
  pValueAdjusted: z.number().nullable(),
  /**
   * Server CPU time per applied operation, contender ÷ baseline: application server and database without the load
   * client, paired by round. Absent where it could not be read.
   */
  serverCpu: z.strictObject({ ratio: z.number(), ci95: intervalSchema.nullable() }).optional(),
  /** Rounds in which both were measured. */
  rounds: countSchema,
  /** Whether the run was designed for it: the two are measured consecutively in every round. */
  isContrast: z.boolean().optional(),
  /** Whether this machine cannot detect a difference this small; absent where that was not measured. */
  belowNoiseFloor: z.boolean().optional(),
  /**
   * The kind of comparison, if it is not two targets under the same load: each at its best point, two load clients on
   * one target, or tuning profiles.
   */
  of: z.enum(['best-points', 'clients', 'profiles']).optional(),
  points: z.strictObject({ baseline: comparedPointSchema, contender: comparedPointSchema }).optional(),
  /** Others used the machine in more than a quarter of the trials of one of the two. */
  disturbed: z.literal(true).optional(),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** Whether a cell is the baseline or the contender of a comparison. */
export function isEndOf(comparison: Comparison, end: 'baseline' | 'contender', cell: CellSummary): boolean {
  const { durability = cell.durability, points } = comparison;
  return (
    comparison[end] === cell.target &&
    durability === cell.durability &&
    sameExcept({ ...comparison, ...points?.[end] }, cell)
  );
}

/** A figure of the harness's own benchmark against its goal. */
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

/** What the audits of all trials with a number checked. */
const auditSummarySchema = z.strictObject({
  /** In one trial: the largest outcome log that was read. */
  logBytesMax: countSchema,
  /** The most that a load client logs; beyond it, reads are left out. */
  logBytesBound: countSchema,
  /** In the trial with the fewest logged reads: one in this many rows was logged (1, 2, 4), or none (0). */
  readsOfEvery: countSchema,
  /** By operation, in words. */
  asserted: z.array(
    z.strictObject({
      operation: z.string(),
      assertions: z.array(z.string()),
      notAsserted: z.array(z.string()).optional(),
    }),
  ),
});
export type AuditSummary = z.infer<typeof auditSummarySchema>;

/** Which run it is. */
const identitySchema = z.strictObject({
  id: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  interrupted: z.boolean(),
  command: z.string(),
  environment: environmentSchema,
});

/** `results/<run>/summary.json`. */
export const runSummarySchema = z.strictObject({
  schemaVersion: z.literal(4),
  run: identitySchema.extend({
    mode: modeSchema,
    workload: nameSchema,
    workloadSha256: workloadSha256Schema,
    seed: z.string(),
    /** The most rounds that a cell was measured in; `cells[].tps.trials` and `comparisons[].rounds` have their own. */
    rounds: countSchema,
    durationMs: countSchema,
    warmupMs: countSchema,
    loop: z.string(),
    /** The largest share of the processors that servers of other targets used in any trial. */
    idleServersShareMax: z.number().min(0).optional(),
    /** A trial with a larger share of its operations in doubt is void. */
    inDoubtShareMax: z.number().min(0).max(1),
    /** A trial with a larger share of faults in its window is void. */
    faultsShareMax: z.number().min(0).max(1),
    /** Void trials that were measured again: `cells[].trials[].discardedTrials` names them; absent if none was. */
    voidsMeasuredAgain: countSchema.optional(),
    /** What the run adds to the request or leaves out of it, in sentences. */
    notes: z.array(z.string()).optional(),
  }),
  verdict: verdictSchema,
  parity: z.array(parityRowSchema),
  cells: z.array(cellSummarySchema),
  comparisons: z.array(comparisonSchema),
  figures: z.array(figureSchema).optional(),
  /** How quiet the machine was. */
  disturbance: disturbanceSchema,
  /** What the audits checked; absent without an audited trial. */
  audit: auditSummarySchema.optional(),
  /** What each measured target's durability rests on. */
  durability: z.array(targetDurabilitySchema),
  /** What is known of each ready target's isolation. */
  isolation: z.array(targetIsolationSchema),
  /** In optimized mode: every point tried for each target before the rounds. */
  search: z.array(searchSchema).optional(),
  /** For a run whose options have several values of a parameter. */
  sweeps: z.array(sweepSchema).optional(),
  /** For `explain`, and for a claim that was explained. */
  explanation: explanationSchema.optional(),
  /** Of published mode. */
  claim: claimResultSchema.optional(),
  /** What injected faults did, by fault and cell; absent without `--fault`. */
  faults: z.array(faultSummarySchema).optional(),
  /** How each cell kept its throughput over hours; absent but for `soak`. */
  soak: z.array(soakSummarySchema).optional(),
  /** Smaller differences are noise; absent if not measured on this machine. */
  noiseFloor: noiseFloorSchema.optional(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** `summary.json` of `npm run bench:self`: the harness measured against its own goals. */
export const selfBenchSummarySchema = z.strictObject({
  schemaVersion: z.literal(1),
  run: identitySchema,
  figures: z.array(figureSchema),
});
export type SelfBenchSummary = z.infer<typeof selfBenchSummarySchema>;
