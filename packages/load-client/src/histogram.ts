import {
  type Histogram,
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
} from 'hdr-histogram-js';
import type { LatencyMs } from '@fair-bench/results';
import type { EncodedHistogram } from '@fair-bench/results/protocol';
import type { Waiting } from './loop/slot-state.ts';

/** Values above one hour are recorded as one hour; `maxUs` and `sumUs` keep the original. */
const histogramUsMax = 3_600_000_000;

/** Below it, a histogram of three digits has a place for each whole microsecond. */
const wholeUs = 2048;

/** More groups than a histogram of three digits can distinguish over most of their range. */
const evenGroupsMax = 10_000;

/** Latencies of one kind of outcome: recorded in milliseconds, stored in whole microseconds. */
export class LatencyHistogram {
  readonly #histogram: Histogram = empty();
  /** Values that are short, as nearly all of an engine in this process, by their microseconds; in the histogram once it is encoded. */
  readonly #short = new Float64Array(wholeUs);
  #count = 0;
  #sumUs = 0;
  #maxUs = 0;

  record(latencyMs: number): void {
    const us = latencyMs * 1000;
    this.#count += 1;
    this.#sumUs += us;
    if (us > this.#maxUs) this.#maxUs = us;
    const rounded = us < histogramUsMax ? Math.round(us) : histogramUsMax;
    if (rounded < wholeUs) this.#short[rounded] = (this.#short[rounded] ?? 0) + 1;
    else this.#histogram.recordValue(rounded);
  }

  /**
   * Records `count` values at equal distances, from `longestMs` down, `each` so often. Many of them are recorded in groups by
   * the group's smallest value, so none becomes longer.
   */
  recordEvenly({ longestMs, intervalMs, count, each }: Waiting): void {
    if (count === 0) return;
    const size = Math.ceil(count / evenGroupsMax);
    for (let first = 0; first < count; first += size) {
      const group = Math.min(size, count - first);
      const us = Math.max(0, longestMs - (first + group - 1) * intervalMs) * 1000;
      this.#histogram.recordValueWithCount(Math.round(Math.min(us, histogramUsMax)), group * each);
    }
    this.#count += count * each;
    this.#sumUs += each * count * (longestMs - ((count - 1) * intervalMs) / 2) * 1000;
    this.#maxUs = Math.max(this.#maxUs, longestMs * 1000);
  }

  encode(): EncodedHistogram {
    for (const [us, count] of this.#short.entries())
      if (count > 0) this.#histogram.recordValueWithCount(us, count);
    this.#short.fill(0);
    return {
      count: this.#count,
      sumUs: this.#sumUs,
      maxUs: this.#maxUs,
      hdr: encodeIntoCompressedBase64(this.#histogram),
    };
  }
}

/** A readable histogram; all values in milliseconds. */
export interface DecodedHistogram {
  readonly count: number;
  /** Exact, from the sum of the unrounded values. */
  readonly meanMs: number;
  readonly maxMs: number;
  /** The value that `percentile` per cent of the values do not exceed, to three significant digits. */
  percentileMs(percentile: number): number;
}

/**
 * Reads an encoded histogram; null when it has no values. Throws when the bytes are not an HDR histogram or do not
 * have `count` values.
 */
export function decodeHistogram(encoded: EncodedHistogram): DecodedHistogram | null {
  const histogram = decode(encoded);
  const { count, sumUs, maxUs } = encoded;
  if (count === 0) return null;
  return {
    count,
    meanMs: sumUs / count / 1000,
    maxMs: maxUs / 1000,
    // The upper edge of a bucket may lie above the largest recorded value.
    percentileMs: (percentile) => Math.min(histogram.getValueAtPercentile(percentile), maxUs) / 1000,
  };
}

/** One histogram of all values, as if they had been recorded into one. Percentiles are never averaged. */
export function mergeHistograms(all: readonly EncodedHistogram[]): EncodedHistogram {
  const merged = empty();
  let count = 0;
  let sumUs = 0;
  let maxUs = 0;
  for (const encoded of all) {
    merged.add(decode(encoded));
    count += encoded.count;
    sumUs += encoded.sumUs;
    maxUs = Math.max(maxUs, encoded.maxUs);
  }
  return { count, sumUs, maxUs, hdr: encodeIntoCompressedBase64(merged) };
}

/** Null for an empty histogram. */
export function latencySummaryMs(encoded: EncodedHistogram): LatencyMs | null {
  const histogram = decodeHistogram(encoded);
  if (histogram === null) return null;
  return {
    mean: histogram.meanMs,
    p50: histogram.percentileMs(50),
    p95: histogram.percentileMs(95),
    p99: histogram.percentileMs(99),
    p999: histogram.percentileMs(99.9),
    max: histogram.maxMs,
  };
}

function empty(): Histogram {
  return build({
    bitBucketSize: 64,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: histogramUsMax,
    numberOfSignificantValueDigits: 3,
  });
}

function decode(encoded: EncodedHistogram): Histogram {
  const histogram = decodeFromCompressedBase64(encoded.hdr, 64);
  if (histogram.totalCount !== encoded.count) {
    throw new Error(
      `latency histogram: holds ${histogram.totalCount} values, its count says ${encoded.count}`,
    );
  }
  return histogram;
}
