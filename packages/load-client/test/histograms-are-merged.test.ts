import { expect, test } from 'vitest';
import { LatencyHistogram, decodeHistogram, latencySummaryMs, mergeHistograms } from '../src/histogram.ts';
import { reportedLatency } from '../src/open-loop.ts';

/** Latencies over six orders of magnitude, the same at every call. */
function latencies(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, index) => 10 ** ((((index + 1) * seed) % 6007) / 1001 - 2));
}

function histogramOf(valuesMs: readonly number[]): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const valueMs of valuesMs) histogram.record(valueMs);
  return histogram;
}

test('merging equals recording into one', () => {
  const [first, second] = [latencies(5000, 7919), latencies(3000, 104_729)];

  const merged = mergeHistograms([histogramOf(first).encode(), histogramOf(second).encode()]);
  const one = histogramOf([...first, ...second]).encode();

  expect(merged.hdr).toBe(one.hdr);
  expect(merged.count).toBe(8000);
  expect(merged.maxUs).toBe(one.maxUs);
  expect(merged.sumUs).toBeCloseTo(one.sumUs, 0);
});

test('operations that fail at once, or are declined, make the reported latency no better by being left out', () => {
  const [slow, quick] = [histogramOf([800]).encode(), histogramOf([2, 2, 2]).encode()];
  const none = histogramOf([]).encode();
  const reported = reportedLatency([
    { latency: { applied: quick, declined: none, faults: slow }, openLoop: null },
    { latency: { applied: quick, declined: slow, faults: none }, openLoop: null },
  ]);
  expect(reported.count).toBe(8);
  expect(latencySummaryMs(reported)?.p99).toBeCloseTo(800, -1);
});

test('percentiles are those of the sorted values, to three digits', () => {
  const values = latencies(10_000, 7919);
  const sorted = values.toSorted((a, b) => a - b);
  const summary = latencySummaryMs(histogramOf(values).encode());

  expect((summary?.p50 ?? 0) / (sorted[4999] ?? 0)).toBeCloseTo(1, 2);
  expect((summary?.p99 ?? 0) / (sorted[9899] ?? 0)).toBeCloseTo(1, 2);
  expect(summary?.max).toBe(sorted.at(-1));
  expect(summary?.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / 10_000, 6);
});

test('an empty histogram has no values, and adds none', () => {
  const none = new LatencyHistogram().encode();
  const some = histogramOf([1, 2, 3]).encode();

  expect(decodeHistogram(none)).toBeNull();
  expect(latencySummaryMs(none)).toBeNull();
  expect(mergeHistograms([none, some])).toEqual(some);
});

test('a histogram that contradicts its count is refused', () => {
  const encoded = histogramOf([1, 2, 3]).encode();

  expect(() => decodeHistogram({ ...encoded, count: 4 })).toThrow('holds 3 values, its count says 4');
});

test('a latency beyond an hour is kept in the maximum and the mean', () => {
  const encoded = histogramOf([2 * 3_600_000]).encode();

  expect(encoded.maxUs).toBe(7_200_000_000);
  expect(decodeHistogram(encoded)?.meanMs).toBe(7_200_000);
});
