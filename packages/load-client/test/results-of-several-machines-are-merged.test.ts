import { expect, test } from 'vitest';
import { decodeHistogram, mergeClientResults } from '../src/index.ts';
import { LatencyHistogram } from '../src/histogram.ts';
import { runOnDoubles } from './trial-on-doubles.ts';

const agent = {
  name: 'a1',
  sessionFirst: 0,
  sessionCount: 2,
  applied: 0,
  cores: 2,
  cpuUserUs: 0,
  cpuSystemUs: 0,
  utilization: 0,
  windowSkewMs: 0,
  clockErrorMs: 0,
  roundTripMs: 0,
  heardAfterMs: 0,
  windowMs: 0,
  windowMsHeard: 0,
};

/** One machine has few slow latencies, the other many: a mean of percentiles is far off. */
const recordings = [
  Array.from({ length: 900 }, (_, place) => 1 + place / 1000),
  Array.from({ length: 100 }, (_, place) => 50 + place),
];

test('the 99th percentile covers all recordings', async () => {
  const { result } = await runOnDoubles({ options: { behaviour: 'answers', delayMs: 5 } });
  const parts = recordings.map((latencies) => {
    const histogram = new LatencyHistogram();
    for (const latencyMs of latencies) histogram.record(latencyMs);
    return { result: { ...result, latency: { ...result.latency, applied: histogram.encode() } }, agent };
  });
  const together = new LatencyHistogram();
  for (const latencyMs of recordings.flat()) together.record(latencyMs);
  const p99 = decodeHistogram(together.encode())?.percentileMs(99);

  const merged = decodeHistogram(mergeClientResults(parts, null).latency.applied);

  expect(p99).toBeGreaterThan(100);
  expect(merged?.percentileMs(99)).toBe(p99);
  expect(merged?.count).toBe(1000);
});

test('counts and series of two shares add up', async () => {
  const options = { behaviour: 'answers', delayMs: 5 };
  const trial = async () => (await runOnDoubles({ options })).result;
  const results = await Promise.all([trial(), trial()]);

  const merged = mergeClientResults(
    results.map((result) => ({ result, agent })),
    null,
  );

  const sumOf = (value: (result: (typeof results)[number]) => number): number =>
    results.reduce((sum, result) => sum + value(result), 0);
  expect(merged.window.applied).toBe(sumOf(({ window }) => window.applied));
  expect(merged.operations[0]?.total.applied).toBe(sumOf(({ total }) => total.applied));
  expect(merged.latency.applied.count).toBe(sumOf(({ latency }) => latency.applied.count));
  expect(merged.series[0]?.applied).toBe(sumOf(({ series }) => series[0]?.applied ?? 0));
  expect(merged.effort.cpuUserUs).toBe(sumOf(({ effort }) => effort.cpuUserUs));
  expect(merged.agents).toHaveLength(2);
});
