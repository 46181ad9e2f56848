import { z } from 'zod';
import {
  countSchema,
  jsonObjectSchema,
  nameSchema,
  priceSchema,
  targetNameSchema,
  targetSettingsSchema,
} from '@fair-bench/contract';
import { loadFields } from './settings/load-fields.ts';
import { loopSchema } from './trial-plan.ts';
import { faultPlanSchema } from './injected-fault.ts';

/** The three modes of a benchmark, and `explain`, which measures between two ends. */
export const modeSchema = z.enum(['fair', 'optimized', 'published', 'explain']);
export type Mode = z.infer<typeof modeSchema>;

/** Of the workload's description, hexadecimal: runs with different ones did different work, whatever its name. */
export const workloadSha256Schema = z.string().regex(/^[0-9a-f]{64}$/);

/** A measured combination. `id` is unique in the run and safe as a file name. */
export const cellSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9@._-]+$/),
  target: targetNameSchema,
  workload: nameSchema,
  /** Parameters of the workload, with all defaults filled in. */
  parameters: jsonObjectSchema,
  /** Which of the parameters distinguish cells: the axes of the workload's description. */
  axes: z.array(z.string()),
  ...loadFields,
  threads: z.int().min(1),
  /** In optimized mode: connections of the application server in this cell's trials; by default the target's. */
  poolSize: z.int().min(1).optional(),
});
export type Cell = z.infer<typeof cellSchema>;

/** A target of the run: a connector with options. URLs have no password here. */
const plannedTargetSchema = z.strictObject({
  target: targetNameSchema,
  connector: nameSchema,
  system: nameSchema,
  route: z.string(),
  url: z.string().nullable(),
  /** It measures the harness and stores nothing. */
  calibration: z.literal(true).optional(),
  /** Why it is not measured, and the command that measures it, if the budget cannot hold it. */
  leftOut: z.strictObject({ reason: z.string(), remedy: z.string() }).optional(),
  /** What it costs by the hour, as the user's configuration says. */
  price: priceSchema.optional(),
  ...targetSettingsSchema.shape,
});
export type PlannedTarget = z.infer<typeof plannedTargetSchema>;

/** Bounds of the search for the best point of each system, before the rounds: short audited trials, one per point. */
const searchBoundsSchema = z.strictObject({
  /** What the cells of one contest compete for: the best point of a system at one combination. */
  contests: z.array(
    z.strictObject({
      name: z.string(),
      system: nameSchema,
      cells: z.array(z.string()).min(1),
      /** Where it has a grid of its own. */
      sessions: z.array(z.int().min(1)).min(1).optional(),
    }),
  ),
  /** In ascending order, as the depths. */
  sessions: z.array(z.int().min(1)).min(1),
  depths: z.array(z.int().min(1)).min(1),
  /** The largest values to which the grid is extended while that gains more than the zone. */
  sessionsMax: z.int().min(1),
  depthMax: z.int().min(1),
  /** Of a target whose pool can be set; empty if it is not searched. */
  pools: z.array(z.int().min(1)),
  /** A point that reaches this share less than the fastest is as good. */
  zone: z.number().gt(0).max(1),
  /** The best point is the fastest one whose p99 is at most this. */
  p99MaxMs: z.number().positive().optional(),
  /** Of one contest. */
  trialsMax: z.int().min(1),
  /** When the search ends at the latest, in milliseconds from the start of the run. */
  endsAtMs: z.int().min(1).optional(),
  windowMs: z.int().min(1),
});
export type SearchBounds = z.infer<typeof searchBoundsSchema>;

export const pinSchema = z.enum(['auto', 'on', 'off']);

/** The largest share of faults in a window that a trial may have, unless another is asked for. */
export const faultsShareMaxDefault = 0.01;
/** The largest share of operations in doubt that a trial may have, unless another is asked for. */
export const inDoubtShareMaxDefault = 0.01;

/** `each`: servers are ended and started anew before each round of a cell; `1`: once for all rounds. */
export const deploymentsSchema = z.enum(['each', '1']);

/** Two cells, by their ids, that the run is designed to compare. */
const contrastSchema = z.strictObject({ baseline: z.string(), contender: z.string() });
export type Contrast = z.infer<typeof contrastSchema>;

/** Adds rounds beyond the planned ones until this budget, in milliseconds from the command's start, is used up. */
const allocationSchema = z.strictObject({
  budgetMs: z.int().min(1),
  /** Until when a cell may still begin its first trial, where nobody stated a budget; without it, until the budget is used up. */
  firstRoundMs: z.int().min(1).optional(),
  /** Ends earlier: once every contrast's interval is within × this of its ratio, up and down. */
  precisionRatio: z.number().gt(1).optional(),
});
export type Allocation = z.infer<typeof allocationSchema>;

/** The part of a plan that makes its rounds slices of one long load: nothing is seeded or restarted in between. */
export const soakPlanSchema = z.strictObject({
  /** Each cell is under load for so long. */
  forMs: z.int().min(1),
  /** Each cell's slices are its rounds, in this order of its own. */
  slices: z.int().min(1),
});
export type SoakPlan = z.infer<typeof soakPlanSchema>;

/** What will be done, frozen before anything starts: `results/<run>/plan.json`. */
export const runPlanSchema = z.strictObject({
  schemaVersion: z.literal(2),
  id: z.string().min(1),
  mode: modeSchema,
  command: z.array(z.string()),
  seed: z.string().regex(/^\d+$/),
  workloadSha256: workloadSha256Schema,
  targets: z.array(plannedTargetSchema),
  /** Empty if nothing that was requested can be measured here. */
  cells: z.array(cellSchema),
  /** The loop of every cell that has no rate of its own. */
  loop: loopSchema,
  timing: z.strictObject({
    /** The minimal warm-up and window; a cell's mean latency lengthens them, the window up to `windowMsMax`. */
    warmupMs: countSchema,
    windowMs: z.int().min(1),
    windowMsMax: z.int().min(1),
    drainMs: z.int().min(1),
    operationMs: z.int().min(1),
  }),
  /** A trial with a larger share of its operations in doubt is void. */
  inDoubtShareMax: z.number().min(0).max(1),
  /** A trial with a larger share of faults in its window is void. */
  faultsShareMax: z.number().min(0).max(1).default(faultsShareMaxDefault),
  /** How often a trial that the machine disturbed or voided is repeated at most. */
  disturbedAgainMax: countSchema,
  /** Whether load clients and servers have separate processors; `auto` where the machine has enough. */
  pin: pinSchema.optional(),
  /** How often servers are started; absent for once. */
  deployments: deploymentsSchema.optional(),
  /** The comparisons that the run is designed for: their cells are measured next to each other. */
  contrasts: z.array(contrastSchema).optional(),
  /** Cells that are measured consecutively. */
  blocks: z.array(z.array(z.string())).optional(),
  /**
   * Each round measures its cells once, in this order: cell ids. The planned rounds have every cell; added rounds
   * have the blocks that need more.
   */
  rounds: z.array(z.array(z.string())).min(1),
  allocation: allocationSchema.optional(),
  /** With `--share-host`; `beside` are the runs that measured on this machine when this one began. */
  sharedHost: z.strictObject({ beside: z.array(z.string()) }).optional(),
  /** In optimized mode: the search begins at the cells' points; absent once it is done. */
  search: searchBoundsSchema.optional(),
  /** Faults that are injected after the rounds. */
  faults: faultPlanSchema.optional(),
  /** Rounds are slices of one long load of each cell. */
  soak: soakPlanSchema.optional(),
  /** What the plan adds to the request or leaves out of it, in sentences. */
  notes: z.array(z.string()).optional(),
});
export type RunPlan = z.infer<typeof runPlanSchema>;
