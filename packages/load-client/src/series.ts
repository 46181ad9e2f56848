import type { SeriesPoint } from '@fair-bench/results/protocol';

/** The columns of the series and the order of the histograms: applied, declined, fault. */
export type OutcomeKind = 0 | 1 | 2;

const columns = 4;
const latencyColumn = 3;

/** Counts by second since the first operation, in rows that are allocated in advance. */
export class SecondSeries {
  readonly #rows: Float64Array;
  readonly #secondLast: number;

  constructor(secondsMax: number) {
    this.#rows = new Float64Array((secondsMax + 1) * columns);
    this.#secondLast = secondsMax;
  }

  /** Completions after the last row count in it. */
  record(kind: OutcomeKind, sinceStartMs: number, latencyMs: number): void {
    const second = Math.min(Math.floor(sinceStartMs / 1000), this.#secondLast);
    const row = second * columns;
    this.#rows[row + kind] = (this.#rows[row + kind] ?? 0) + 1;
    this.#rows[row + latencyColumn] = (this.#rows[row + latencyColumn] ?? 0) + latencyMs;
  }

  rows(): Float64Array {
    return this.#rows;
  }
}

/** Including the second in which the trial ended. */
export function seriesPoints(rows: Float64Array, lengthMs: number): SeriesPoint[] {
  const length = Math.min(Math.floor(lengthMs / 1000) + 1, rows.length / columns);
  return Array.from({ length }, (_, second) => {
    const first = second * columns;
    const [applied = 0, declined = 0, faults = 0, latencyMs = 0] = rows.subarray(first, first + columns);
    const count = applied + declined + faults;
    return { second, applied, declined, faults, latencyMsMean: count === 0 ? null : latencyMs / count };
  });
}
