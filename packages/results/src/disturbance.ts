import { countSchema } from '@fair-bench/contract';
import { z } from 'zod';

/** A cell is disturbed if a larger share of its trials stayed so after they were measured again. */
export const disturbedShareMax = 0.25;

/** Beyond this factor between its two ends the spread of CPU time is said. */
export const cpuTimeSpreadMax = 1.15;

/** How quiet the machines of a run were in the windows of its trials with a number. */
export const disturbanceSchema = z.strictObject({
  /** All trials with a number; what follows counts some of them. */
  trials: countSchema,
  /** Foreign processes or the hypervisor took more than their limit, and no repeat was within it. */
  disturbed: countSchema,
  foreign: countSchema,
  stolen: countSchema,
  /** The processors were busy nearly all the time, with the run itself or others. */
  busy: countSchema,
  /** The load client was at its limit. */
  saturated: countSchema,
  /** Foreign processes were not observed. */
  unobserved: countSchema,
  /** In the trials with foreign load: the process that used most, with its largest share of the processors. */
  foreignMost: z.array(z.strictObject({ command: z.string(), trials: countSchema, shareMax: z.number() })),
  /** Cells of which more than `disturbedShareMax` of the trials are disturbed. */
  cells: z.array(z.string()),
  /**
   * The CPU time of an operation as a multiple of its cell's median, in the load client and the servers alike: exceeded
   * by nine trials of ten, and by one. Null with too few trials.
   */
  cpuTimeSpread: z.tuple([z.number().positive(), z.number().positive()]).nullable(),
  /** With `--share-host`: the runs that already measured on this machine when this one began. */
  beside: z.array(z.string()).optional(),
});
export type Disturbance = z.infer<typeof disturbanceSchema>;
