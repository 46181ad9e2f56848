import { z } from 'zod';
import {
  countSchema,
  jsonObjectSchema,
  nameSchema,
  targetNameSchema,
  targetSettingsSchema,
} from '@fair-bench/contract';
import { loopSchema } from './trial-plan.ts';

/** The three modes of a benchmark, and `explain`, which measures what lies between two ends. */
export const modeSchema = z.enum(['fair', 'optimized', 'published', 'explain']);
export type Mode = z.infer<typeof modeSchema>;

export const clientNameSchema = z.enum(['node', 'native']);
export type ClientName = z.infer<typeof clientNameSchema>;

/** A cell: one combination that is measured. `id` is unique in the run and safe as a file name. */
export const cellSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9@._-]+$/),
  target: targetNameSchema,
  client: clientNameSchema,
  workload: nameSchema,
  /** Parameters of the workload, complete: nothing is left to a default. */
  parameters: jsonObjectSchema,
  /** Which of the parameters distinguish cells: the axes of the workload's description. */
  axes: z.array(z.string()),
  sessions: z.int().min(1),
  depth: z.int().min(1),
  threads: z.int().min(1),
  /** Of optimized mode: connections of the application server in this cell's trials; absent leaves it at the target's. */
  poolSize: z.int().min(1).optional(),
  /** An open loop of its own, in operations per second over all sessions; without it the plan's loop. */
  ratePerSecond: z.number().positive().optional(),
});
export type Cell = z.infer<typeof cellSchema>;

/** A target of the run: a connector with options. URLs carry no password here. */
export const plannedTargetSchema = z.strictObject({
  target: targetNameSchema,
  connector: nameSchema,
  system: nameSchema,
  route: z.string(),
  url: z.string().nullable(),
  ...targetSettingsSchema.shape,
});
export type PlannedTarget = z.infer<typeof plannedTargetSchema>;

/**
 * Bounds of a search for each cell's best point, before the rounds: one audited trial a point, then more of the best.
 */
export const searchBoundsSchema = z.strictObject({
  /** In ascending order, as the depths. */
  sessions: z.array(z.int().min(1)).min(1),
  depths: z.array(z.int().min(1)).min(1),
  /** Tried at the best points of a target whose pool can be chosen; none where it is not searched for. */
  pools: z.array(z.int().min(1)),
  /** A grid of more points is climbed from the cell's own point, and as many points are tried. */
  pointsMax: z.int().min(1),
  /** After the first pass, in order: so many of the best points have so many trials more. */
  rungs: z.array(z.strictObject({ points: z.int().min(2), trials: z.int().min(1) })),
  warmupMs: countSchema,
  windowMs: z.int().min(1),
  /** Cells that are not searched for: each is measured at the point that another was found best at. */
  followers: z.record(z.string(), z.string()),
});
export type SearchBounds = z.infer<typeof searchBoundsSchema>;

export const pinSchema = z.enum(['auto', 'on', 'off']);

/** Two cells, by their ids, that the run is designed to compare. */
const contrastSchema = z.strictObject({ baseline: z.string(), contender: z.string() });
export type Contrast = z.infer<typeof contrastSchema>;

/** Rounds beyond the planned ones are measured until the budget, milliseconds from the command's start, is over. */
const allocationSchema = z.strictObject({
  budgetMs: z.int().min(1),
  /** Ends it earlier: once every contrast's interval is within × this of its ratio, up and down. */
  precisionRatio: z.number().gt(1).optional(),
});
export type Allocation = z.infer<typeof allocationSchema>;

/** What is to be done, frozen before anything starts: `results/<run>/plan.json`. */
export const runPlanSchema = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string().min(1),
  mode: modeSchema,
  command: z.array(z.string()),
  seed: z.string().regex(/^\d+$/),
  targets: z.array(plannedTargetSchema),
  /** None where nothing of what was requested can be measured here. */
  cells: z.array(cellSchema),
  /** The loop of every cell that has no rate of its own. */
  loop: loopSchema,
  timing: z.strictObject({
    warmupMs: countSchema,
    windowMs: z.int().min(1),
    drainMs: z.int().min(1),
    operationMs: z.int().min(1),
  }),
  /** The share of a trial's operations in doubt above which it is void; runs of before have none. */
  inDoubtShareMax: z.number().min(0).max(1).optional(),
  /** How often a trial that the host disturbed is measured again at most; runs of before have none. */
  disturbedAgainMax: countSchema.optional(),
  /** Whether load clients and servers have processors of their own; `auto` where the machine has enough. */
  pin: pinSchema.optional(),
  /** The comparisons that the run is designed for: their cells are measured next to each other. */
  contrasts: z.array(contrastSchema).optional(),
  /** Cells that are measured in one go. */
  blocks: z.array(z.array(z.string())).optional(),
  /**
   * Each round measures its cells once, in this order: cell ids. The planned rounds have every cell; those that the
   * allocation adds have the blocks that needed more.
   */
  rounds: z.array(z.array(z.string())).min(1),
  allocation: allocationSchema.optional(),
  /** Of optimized mode: the cells' points are where the search begins; absent once it is done. */
  search: searchBoundsSchema.optional(),
  /** What the plan has beyond the request, or leaves out of it, in sentences. */
  notes: z.array(z.string()).optional(),
});
export type RunPlan = z.infer<typeof runPlanSchema>;
