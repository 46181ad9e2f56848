import { expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf, type TargetOptions } from '@fair-bench/contract';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { createClient } from '@redis/client';
import connector from '../src/index.ts';

const route = routeOf(connector, 'driver');

test('of a server by its URL only our keys are removed, and all of them', async ({ skip }) => {
  const workload = targetWorkload(await workloadNamed('counter'));
  const options: TargetOptions = { ...loneTargetOptions, workload };
  const availability = await route.probe(options);
  if (!availability.available) skip(`${availability.reason}; ${availability.remedy}`);
  const theirs = await startLoneTarget(route, options);
  const { url } = theirs.deployment.endpoint;
  const client = await createClient({ url }).connect();
  try {
    await client.set('mine', 'kept');
    const target = await startLoneTarget(route, { ...options, url });
    const signal = AbortSignal.timeout(10_000);
    const { tables } = target.deployment;
    await tables.create(workload.shape.tables, signal);
    await tables.load(0, pageOf([[1, 5n]]), signal);
    await tables.load(1, pageOf([[7n, 1, 2, 'text']]), signal);
    expect(await client.dbSize()).toBeGreaterThan(2);
    await target.close();
    expect(await client.keys('*')).toEqual(['mine']);
  } finally {
    client.destroy();
    await theirs.close();
  }
});

async function* pageOf<Page>(page: Page): AsyncGenerator<Page> {
  yield await Promise.resolve(page);
}
