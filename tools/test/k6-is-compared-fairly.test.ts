import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codecsOf } from '@fair-bench/rpc';
import { startLoneTarget } from '@fair-bench/supervisor';
import { loadConnector, discoverFor, loadWorkload } from '@fair-bench/runner';
import {
  createSlots,
  createStream,
  defaultParameters,
  resolveWorkload,
  shapeOf,
  targetWorkload,
} from '@fair-bench/workload';
import order from '@fair-bench/workloads/order';
import { expect, onTestFinished, test } from 'vitest';
import { k6Version, runK6 } from '../crosscheck/k6.ts';
import { drawRequests } from '../requests.ts';

test('k6 sends the operations of our streams, session by session', () => {
  const workload = resolveWorkload(order, defaultParameters(order));
  const requests = drawRequests(workload, 3, 30);
  const [codec] = codecsOf(shapeOf(workload));
  const slots = createSlots(workload);
  const stream = createStream(workload, { session: 1, sessions: 3 });
  for (let place = 1; place < 30; place += 3) {
    const operation = stream.next(slots);
    const [path, body] = requests[place] ?? [];
    expect(path).toBe('/place');
    expect(body).toBe(codec?.encode(slots[operation] ?? []));
  }
});

const missing = await k6Version().then(
  () => null,
  (error: unknown) => String(error),
);

test('k6 gets no error, and its window is counted', async ({ skip }) => {
  skip(missing !== null, missing ?? '');
  const root = new URL('../..', import.meta.url).pathname;
  const { description, folder } = await loadWorkload(root, 'counter');
  const { connectors } = await discoverFor(root, await loadWorkload(root, 'counter'));
  const found = connectors.find(({ name }) => name === 'null-http');
  if (found === undefined) throw new Error('no null-http');
  const workload = resolveWorkload(description, defaultParameters(description));
  const target = await startLoneTarget(await loadConnector(found), {
    workload: targetWorkload({ description, folder }),
  });
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-k6-'));
  onTestFinished(async () => {
    await target.close();
    await rm(directory, { recursive: true });
  });
  const { url } = target.deployment.endpoint;
  const requests = drawRequests(workload, 4, 100_000);
  const load = { url: url.replace(/\/$/, ''), sessions: 4, warmupMs: 200, windowMs: 500, requests };
  const k6 = await runK6(directory, load, AbortSignal.timeout(30_000));
  expect(k6).toMatchObject({ declined: 0, faults: 0 });
  expect(k6.applied).toBeGreaterThan(50);
  const { applied } = await target.deployment.counters(AbortSignal.timeout(5000));
  expect(applied).toBeGreaterThan(k6.applied);
});
