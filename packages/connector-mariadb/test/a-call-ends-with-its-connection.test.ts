import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { connect } from '../src/connection.ts';
import connector from '../src/index.ts';

const route = routeOf(connector, 'driver');
const options = { ...loneTargetOptions, workload: targetWorkload(await workloadNamed('counter')) };
const availability = await route.probe(options);
const lacking = availability.available ? null : `${availability.reason}; ${availability.remedy}`;
let target: LoneTarget;

beforeAll(async () => {
  if (lacking === null) target = await startLoneTarget(route, options);
});
afterAll(async () => {
  if (lacking === null) await target.close();
});

test('a call that waits for its reply rejects when its connection is ended, as an interruption does', async ({
  skip,
}) => {
  if (lacking !== null) skip(lacking);
  const connection = await connect(target.deployment.endpoint.url);
  const call = connection.query('SELECT SLEEP(60)', []);
  setTimeout(() => void connection.end(), 100);
  await expect(call).rejects.toThrow('the connection was ended');
}, 10_000);
