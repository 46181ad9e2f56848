import { countSchema, intervalSchema, targetNameSchema } from '@fair-bench/contract';
import { z } from 'zod';
import { byPartSchema } from './cell-summary.ts';

/** One second of a slice, with what was answered in it. */
const soakSecondSchema = z.strictObject({
  /** Whole seconds since the slice's first operation. */
  second: countSchema,
  applied: countSchema,
  faults: countSchema,
  /** Latencies of everything that was answered, from its sending; null where the log has no times, and where nothing was answered. */
  latencyMs: z.strictObject({ p50: z.number(), p99: z.number(), max: z.number() }).nullable(),
});
export type SoakSecond = z.infer<typeof soakSecondSchema>;

/** What the machine says of the processes and the files at one moment. */
const soakSampleSchema = z.strictObject({
  /** Since the slice's first operation. */
  atMs: z.number(),
  /** Microseconds since the processes began. */
  cpuUs: byPartSchema,
  /** Null between two readings, which are less frequent. */
  rssMb: byPartSchema.nullable(),
  /** The room of the target's files on their disk; null where they are not seen, and between two readings. */
  filesBytes: countSchema.nullable(),
});
export type SoakSample = z.infer<typeof soakSampleSchema>;

/** Background work that the system began, such as a checkpoint. */
const soakEventSchema = z.strictObject({
  /** When it was seen, since the slice's first operation; it began at most a second before. */
  atMs: z.number(),
  name: z.string(),
  count: z.int().min(1),
});
export type SoakEvent = z.infer<typeof soakEventSchema>;

/** What the record of a slice has besides that of any trial. */
export const soakSliceSchema = z.strictObject({
  /** Of its cell, from 0. */
  slice: countSchema,
  /** Whether its rows were seeded: those of the first slice, and of one after its target was started anew. */
  seeded: z.boolean(),
  /** The whole seconds of its window: those before it, until throughput is steady, follow our own pause. */
  seconds: z.array(soakSecondSchema),
  samples: z.array(soakSampleSchema),
  /** Null where the system does not say what it does in the background. */
  events: z.array(soakEventSchema).nullable(),
  /** The longest time of the window without any reply; by tenths of a second where the log has no times. */
  silence: z.strictObject({ atMs: z.number(), ms: z.number() }),
});
export type SoakSlice = z.infer<typeof soakSliceSchema>;

/** A change by the hour with its 95 % interval; null without enough to tell. */
const slopeSchema = z.strictObject({ perHour: z.number(), ci95: intervalSchema }).nullable();
export type SoakSlope = z.infer<typeof slopeSchema>;

/** Some neighbouring seconds. */
const soakPointSchema = z.strictObject({
  /** Seconds since the first operation of the cell's first slice, by the clock on the wall. */
  atS: z.number(),
  lengthS: z.number(),
  /** Applied operations per second: the mean, and the least of a second. */
  tps: z.number(),
  tpsLeast: z.number(),
  /** Milliseconds: the middle of the seconds' medians, and the greatest of their p99; null where the log has no times. */
  p50Ms: z.number().nullable(),
  p99Ms: z.number().nullable(),
  /** Processors that the part used, and its memory; null where they are not seen. */
  cpu: byPartSchema.nullable(),
  rssMb: byPartSchema.nullable(),
  filesMb: z.number().nullable(),
});
export type SoakPoint = z.infer<typeof soakPointSchema>;

/** How a cell kept its throughput over hours. Its numbers are of all seconds of slices whose audit passed. */
export const soakSummarySchema = z.strictObject({
  cellId: z.string(),
  target: targetNameSchema,
  slices: z.strictObject({ passed: countSchema, void: countSchema, interrupted: countSchema }),
  /** Why slices are void, each reason once. */
  reasons: z.array(z.string()),
  /** After its first slice: how often its rows were seeded again, on new servers. */
  seededAgain: countSchema,
  /** Null without a slice whose audit passed. */
  found: z
    .strictObject({
      /** From the first operation to the last second, and the part of it under load. */
      lastedS: z.number(),
      loadedS: z.number(),
      applied: countSchema,
      faults: countSchema,
      /** Of the seconds under load: the middle one, and the worst with its time. */
      tpsMedian: z.number(),
      worst: z.strictObject({ atS: z.number(), tps: z.number() }),
      p99MsMedian: z.number().nullable(),
      silence: z.strictObject({ atS: z.number(), ms: z.number() }),
      /** Of throughput, as a share of its median. */
      drift: slopeSchema,
      /** MiB: of the servers' memory, or of the process with the engine in it, and of the files. */
      memoryMb: slopeSchema,
      filesMb: slopeSchema,
      events: z
        .array(
          z.strictObject({
            name: z.string(),
            count: z.int().min(1),
            /** Of the seconds after each, against all others; null where nearly all seconds are such. */
            cost: z.strictObject({ tpsRatio: z.number(), p99Ratio: z.number().nullable() }).nullable(),
          }),
        )
        .nullable(),
    })
    .nullable(),
  points: z.array(soakPointSchema),
  /** When background work was seen, in seconds as the points. */
  marks: z.array(z.strictObject({ atS: z.number(), name: z.string() })),
});
export type SoakSummary = z.infer<typeof soakSummarySchema>;
