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

/** The series of all threads together, including the second in which the trial ended. */
export function seriesPoints(all: readonly Float64Array[], lengthMs: number): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  const rowsMax = (all[0]?.length ?? 0) / columns;
  for (let second = 0; second < Math.min(Math.floor(lengthMs / 1000) + 1, rowsMax); second += 1) {
    const total = (column: number): number =>
      all.reduce((sum, rows) => sum + (rows[second * columns + column] ?? 0), 0);
    const [applied, declined, faults] = [total(0), total(1), total(2)];
    const count = applied + declined + faults;
    const latencyMsMean = count === 0 ? null : total(latencyColumn) / count;
    points.push({ second, applied, declined, faults, latencyMsMean });
  }
  return points;
}
