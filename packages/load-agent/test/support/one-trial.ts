import { decodeHistogram } from '@fair-bench/load-client';
import { clientResultSchema, type EncodedHistogram } from '@fair-bench/results';
import type { LoadAgents } from '@fair-bench/runner';
import { readOutcomeLog } from '@fair-bench/workload';
import { expect } from 'vitest';
import { connectNats } from '../../src/index.ts';
import { type Bench, never } from './bench.ts';

/**
 * Agents share one trial: its operations are those of one machine, with one log, and the percentiles of all
 * recordings.
 */
export async function expectOneTrial(bench: Bench, loadAgents: LoadAgents, natsUrl: string): Promise<void> {
  const events: string[] = [];
  const recordings = await listenForResults(natsUrl);

  bench.streams();
  const result = await loadAgents.run(
    bench.plan({ depth: 1 }),
    (event) => events.push(event.type === 'phase' ? event.phase : `${event.type}:`),
    never,
  );
  const streams = bench.streams();
  await bench.here(bench.plan({ depth: 1 }));

  // The window's length is ordered before it begins.
  expect(events.filter((event) => event !== 'progress:')).toEqual([
    'ready:',
    'warmup',
    'window:',
    'window',
    'drain',
  ]);
  expect(
    result.agents?.map(({ name, sessionFirst, sessionCount }) => [name, sessionFirst, sessionCount]),
  ).toEqual([
    ['a1', 0, 2],
    ['a2', 2, 3],
  ]);
  expect(result.window.applied).toBe(result.agents?.reduce((sum, { applied }) => sum + applied, 0));
  expect(result.timing.windowMs).toBeCloseTo(1000, 3);
  if (result.log === null) throw new Error('the trial left no log');
  const logs = await readOutcomeLog(result.log);
  expect(logs.map(({ session }) => session)).toEqual([0, 1, 2, 3, 4]);
  expect(streams).toHaveLength(5);
  expect(new Set(streams).size).toBe(5);
  expect(bench.streams()).toEqual(streams);
  const { applied } = result.latency;
  const latencies = (await recordings.take(2))
    .flatMap((recording) => latenciesOf(recording, applied.maxUs))
    .sort((a, b) => a - b);
  const merged = decodeHistogram(applied);
  expect(latencies.length).toBeGreaterThan(100);
  expect(merged?.count).toBe(latencies.length);
  expect(merged?.percentileMs(99)).toBe(latencies[Math.ceil((latencies.length * 99) / 100) - 1]);
}

/** Reads the results of load clients on their way to the object store. */
async function listenForResults(url: string) {
  const nats = await connectNats({ url, authFile: null }, { name: 'listener' });
  const heard: EncodedHistogram[] = [];
  nats.subscribe('$O.*.C.>', {
    callback: (_error, { data }) => {
      // Logs are not JSON.
      if (data[0] !== '{'.charCodeAt(0)) return;
      heard.push(clientResultSchema.parse(JSON.parse(new TextDecoder().decode(data))).latency.applied);
    },
  });
  await nats.flush();
  return {
    take: async (count: number): Promise<readonly EncodedHistogram[]> => {
      await nats.close();
      expect(heard).toHaveLength(count);
      return heard;
    },
  };
}

/**
 * Every latency of a recording, to its three digits. Only the longest of all is exact in what was merged, and not the
 * longest of each recording.
 */
function latenciesOf(recording: EncodedHistogram, maxUs: number): number[] {
  const histogram = decodeHistogram({ ...recording, maxUs });
  const { count } = recording;
  return Array.from(
    { length: count },
    (_, place) => histogram?.percentileMs((100 * (place + 1)) / count) ?? 0,
  );
}
