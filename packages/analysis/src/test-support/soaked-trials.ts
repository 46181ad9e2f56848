import type { Cell, PassedTrial, SoakSlice } from '@fair-bench/results';
import { passedTrial } from './trial-records.ts';

const sliceSeconds = 60;
const startedMs = Date.parse('2026-11-20T12:00:00.000Z');
/** The audit between two slices. */
const pauseSeconds = 5;

export interface SoakShape {
  /** Applied operations in a second, by the seconds since the first slice's beginning. */
  readonly tpsAt: (atS: number) => number;
  /** A checkpoint at the 30th second of every so manieth slice; null: the system says nothing. */
  readonly checkpointEvery: number | null;
  /** MiB of the database's memory, by those seconds. */
  readonly memoryAt: (atS: number) => number;
}

/** A slice of a minute whose course is known. */
export function soakedTrial(cell: Cell, slice: number, shape: SoakShape): PassedTrial {
  const fromS = slice * (sliceSeconds + pauseSeconds);
  const hasCheckpoint = shape.checkpointEvery !== null && slice % shape.checkpointEvery === 0;
  const trial = passedTrial({ cell, round: slice, applied: 1_000 });
  const soak: SoakSlice = {
    slice,
    seeded: slice === 0,
    seconds: Array.from({ length: sliceSeconds }, (_, second) => ({
      second,
      applied: Math.round(shape.tpsAt(fromS + second)),
      faults: 0,
      latencyMs: { p50: 2, p99: hasCheckpoint && second >= 30 && second < 40 ? 40 : 4, max: 50 },
    })),
    samples: [0, 15, 30, 45].map((second) => ({
      atMs: second * 1_000,
      cpuUs: { client: 250_000 * second, appServer: null, pooler: null, database: 500_000 * second },
      rssMb: { client: 80, appServer: null, pooler: null, database: shape.memoryAt(fromS + second) },
      filesBytes: 2 ** 24,
    })),
    events:
      shape.checkpointEvery === null
        ? null
        : hasCheckpoint
          ? [{ atMs: 30_000, name: 'checkpoint', count: 1 }]
          : [],
    silence: { atMs: 1_000, ms: slice === 3 ? 700 : 20 },
  };
  const startedAt = new Date(startedMs + 1_000 * fromS).toISOString();
  return {
    ...trial,
    soak,
    result: { ...trial.result, timing: { ...trial.result.timing, startedAt } },
  };
}
