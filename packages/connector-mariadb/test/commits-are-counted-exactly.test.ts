import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf, type TargetOptions, type WorkCounters } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { connect } from '../src/connection.ts';
import connector from '../src/index.ts';

const route = routeOf(connector, 'driver');
const sessions = 10;
const operations = 100;
/** Of InnoDB itself, such as saving the statistics of a table. */
const ownMax = 8;
const lacking = await lackingServer();
let target: LoneTarget;

beforeAll(async () => {
  if (lacking !== null) return;
  target = await startLoneTarget(route, await optionsFor('counter'));
});
afterAll(async () => {
  if (lacking === null) await target.close();
});

async function optionsFor(workload: string): Promise<TargetOptions> {
  return { ...loneTargetOptions, workload: targetWorkload(await workloadNamed(workload)) };
}

async function lackingServer(): Promise<string | null> {
  const availability = await route.probe(await optionsFor('counter'));
  return availability.available ? null : `${availability.reason}; ${availability.remedy}`;
}

/** What the counters rise by while each session runs a statement so often. */
async function riseBy(
  text: string,
  parameters: readonly number[],
  running: LoneTarget,
): Promise<WorkCounters> {
  const { deployment } = running;
  const before = await deployment.counters(AbortSignal.timeout(5_000));
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      const connection = await connect(deployment.endpoint.url);
      for (let done = 0; done < operations; done += 1) await connection.query(text, parameters);
      await connection.end();
    }),
  );
  const after = await deployment.counters(AbortSignal.timeout(5_000));
  const rise = (counter: 'commits' | 'flushes' | 'scans') => (after[counter] ?? 0) - (before[counter] ?? 0);
  return { commits: rise('commits'), flushes: rise('flushes'), scans: rise('scans') };
}

test('every commit of a statement that writes is counted once, and none of a read', async ({ skip }) => {
  if (lacking !== null) skip(lacking);
  const all = sessions * operations;
  await riseBy('INSERT IGNORE INTO fair_bench.counter VALUES (?, 0)', [1], target);
  const written = await riseBy('UPDATE fair_bench.counter SET value = value + 1 WHERE id = ?', [1], target);
  expect(written.commits).toBeGreaterThanOrEqual(all);
  expect(written.commits).toBeLessThanOrEqual(all + ownMax);
  // One row: each commit waits for the one before, and at most all sessions for one flush.
  expect(written.flushes).toBeGreaterThanOrEqual(all / sessions);
  const read = await riseBy('SELECT value FROM fair_bench.counter WHERE id = ?', [1], target);
  expect(read.commits).toBeLessThanOrEqual(ownMax);
  expect(read.scans).toBeGreaterThanOrEqual(all);
  // Each of few new connections, and what reads the counters, looks some up.
  expect(read.scans).toBeLessThanOrEqual(1.1 * all + 100);
});

test('a user who may not see the status of InnoDB has no counters, and the trial goes on without', async ({
  skip,
}) => {
  if (lacking !== null) skip(lacking);
  const root = await connect(target.deployment.endpoint.url);
  await root.query("CREATE USER plain@'127.0.0.1'", []);
  await root.query("GRANT ALL ON fair_bench.* TO plain@'127.0.0.1'", []);
  await root.end();
  const plain = new URL(target.deployment.endpoint.url);
  plain.username = 'plain';
  const named = await startLoneTarget(route, { ...(await optionsFor('point-read')), url: plain.href });
  try {
    expect(await named.deployment.counters(AbortSignal.timeout(5_000))).toEqual({});
    const observer = await named.deployment.observe(AbortSignal.timeout(5_000));
    expect(observer.committed).toBeNull();
    await observer.close();
  } finally {
    await named.close();
  }
});
