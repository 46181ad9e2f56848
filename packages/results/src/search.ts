import { z } from 'zod';
import {
  countSchema,
  intervalSchema,
  nameSchema,
  requestedDurabilitySchema,
  targetNameSchema,
} from '@fair-bench/contract';
import { combination } from './combination.ts';
import { sameExcept, searchedSettings } from './settings/points.ts';
import { loadFields } from './settings/load-fields.ts';
import { settingsOfLoad } from './settings/rows.ts';

const load = {
  sessions: loadFields.sessions,
  depth: loadFields.depth,
  poolSize: z.int().min(1).optional(),
};

/**
 * What one candidate (a route by a load client) reached in the search for its system's best point: every point that was
 * tried.
 */
export const searchSchema = z.strictObject({
  target: targetNameSchema,
  client: loadFields.client,
  ...combination,
  durability: requestedDurabilitySchema,
  /** The system, at one combination, that the candidate competes for. */
  contest: z.string(),
  system: nameSchema,
  /** Points that reach this share less than the fastest are as good. */
  zone: z.number(),
  /** The bound of p99 that the best point keeps. */
  p99MaxMs: z.number().positive().optional(),
  /** Why the candidate cannot be measured here. */
  unavailable: z.string().optional(),
  points: z.array(
    z.discriminatedUnion('status', [
      z.strictObject({
        status: z.literal('ok'),
        ...load,
        /** The geometric mean over its trials. */
        tps: z.number(),
        /** 95 % interval of the surface through all trials, around its estimate, the interval's geometric mean: neighbouring points make it narrower. */
        ci95: intervalSchema.optional(),
        /** Of each trial. */
        tpsOfTrials: z.array(z.number()).min(1),
        /** Milliseconds: geometric means over the trials. */
        p50Ms: z.number(),
        p99Ms: z.number(),
        trials: z.int().min(1),
      }),
      z.strictObject({ status: z.literal('void'), ...load, reason: z.string() }),
    ]),
  ),
  /** The best point of its system, which the rounds measure; null where another candidate has it, or none passed. */
  chosen: z.strictObject(load).nullable(),
  /**
   * With the chosen point, unless p99 has a bound: between how many operations in flight the knee is with a probability of
   * 95 %, by the surface through all trials.
   */
  kneeInFlight: intervalSchema.optional(),
  /** The fastest point of its system, of the chosen candidate only. */
  peak: z.strictObject(load).optional(),
  /** Where an open loop was tried: operations per second at which p99 stayed within the bound; null at none. */
  rateWithinBound: z.number().positive().nullable().optional(),
  /** Coordinates in which the peak is at an end of the grid: the best may lie beyond. */
  edges: z.array(z.enum(['sessions', 'depth', 'pool'])),
  /** Void trials that were measured again; absent if none was. */
  voidsMeasuredAgain: countSchema.optional(),
});
export type Search = z.infer<typeof searchSchema>;

/** A cell as far as a search tells it. */
type SearchedCell = Pick<Search, 'target' | 'client' | 'parameters'> & z.infer<z.ZodObject<typeof load>>;

/** What a search does not say of its cells: it is the same in all of them, but for the open loop of the best one. */
function notSearched(): readonly string[] {
  return settingsOfLoad().flatMap(({ key }) => (searchedSettings.includes(key) ? [] : [key]));
}

/** Whether a cell is at the best point of a search, in a closed loop or in an open one. */
export function isChosen({ target, client, parameters, chosen }: Search, cell: SearchedCell): boolean {
  return (
    chosen !== null &&
    cell.target === target &&
    cell.poolSize === chosen.poolSize &&
    sameExcept({ client, parameters, ...chosen }, cell, notSearched())
  );
}
