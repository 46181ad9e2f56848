import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzServer } from '@fair-bench/rpc/test-support';
import { provisionForTest, type TestDeployment } from './provision-for-test.ts';

let target: TestDeployment;
beforeAll(async () => {
  target = await provisionForTest();
});
afterAll(() => target.close());

test('10,000 bad requests are refused in type, and the server serves on', { timeout: 60_000 }, async () => {
  const { deployment } = target;
  const access = deployment.workloads.transfer;
  if (access === undefined) throw new Error('the deployment has no transfer dataset');
  const signal = AbortSignal.timeout(55_000);
  await access.seed({ accounts: 100, initialBalance: 1_000n }, signal);
  const report = await fuzzServer({
    url: deployment.endpoint.url,
    access,
    requests: 10_000,
    seed: 20_261_120,
    signal,
  });
  expect(report.requests).toBeGreaterThanOrEqual(10_000);
  expect(Object.keys(report.replies).map(Number)).toEqual(
    expect.arrayContaining([200, 400, 404, 405, 413, 415]),
  );
  await deployment.check(signal);
  // Nothing that was broken off is still counted as in flight.
  await deployment.prepare(signal);
  expect(await deployment.inFlight(signal)).toEqual({ peak: 0 });
});
