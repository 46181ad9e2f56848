import { expect, test } from 'vitest';
import { expectedMs, leastMs } from '../src/plan/timing.ts';
import { discoverFor } from '../src/discover/workspace.ts';
import { defaultWorkload, loadWorkload } from '../src/discover/workload.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { parseRunOptions, runDefaults } from '../src/options/run-options.ts';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const times = { warmup: 500, duration: 700 };

test('a cell with much in flight is expected to take longer, and at least as long as any', async () => {
  const catalog = await discoverFor(root, await loadWorkload(root, defaultWorkload));
  const options = { ...runDefaults, systems: 'null-http', strict: false, url: [], set: [] };
  const [target] = chosenTargets(catalog, parseRunOptions(options));
  if (target === undefined) throw new Error('null-http is missing');
  const cell = (sessions: number, depth: number, ratePerSecond?: number) => [
    { target, client: 'native' as const, sessions, depth, ratePerSecond },
  ];
  const [shallow, deep] = [cell(50, 1), cell(64, 40)];
  expect(leastMs(deep, 5, times)).toBe(leastMs(shallow, 5, times));
  expect(expectedMs(shallow, 5, times)).toBe(leastMs(shallow, 5, times));
  // 2,560 in flight: a window of ten latencies of about a second, after a warm-up of nine.
  const longerMs = (expectedMs(deep, 5, times) - leastMs(deep, 5, times)) / 5;
  expect(longerMs).toBeGreaterThan(15_000);
  expect(longerMs).toBeLessThan(25_000);
  // How much of its slots an open loop uses is not known.
  expect(expectedMs(cell(64, 40, 100), 5, times)).toBe(leastMs(deep, 5, times));
});
