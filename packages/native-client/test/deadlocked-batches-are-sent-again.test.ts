import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import postgres from '@fair-bench/connector-postgres';
import { type Deployment, routeOf } from '@fair-bench/contract';
import {
  nodeClient,
  onThisMachine,
  runShortTrialAgain,
  targetWorkload,
  workloadNamed,
} from '@fair-bench/conformance';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import { smallParameters } from '@fair-bench/workload';
import transfer from '@fair-bench/workloads/transfer';
import { command, needsNative } from './support/native.ts';

const route = routeOf(postgres, 'driver');
const module = fileURLToPath(new URL('../../connector-postgres/src/clients/driver.ts', import.meta.url));

/** Its sessions look for deadlocks after 10 ms, not after a second: a short trial has many. */
function lookingEarly(deployment: Deployment): Deployment {
  const url = new URL(deployment.endpoint.url);
  url.searchParams.set('options', '-cdeadlock_timeout=10ms');
  return { ...deployment, endpoint: { ...deployment.endpoint, url: url.href } };
}

describe('batches of several sessions that deadlock on few rows are sent again, and counted', () => {
  let target: LoneTarget;
  beforeAll(async () => {
    target = await startLoneTarget(route, { workload: targetWorkload(await workloadNamed('transfer')) });
  });
  afterAll(() => target.close());

  const byNode = { client: nodeClient(module) };
  const byNative = {
    client: { kind: 'native', protocol: 'postgres' },
    loadClient: onThisMachine({ command: command ?? '', arguments: [] }),
  } as const;
  const sentBy = async (load: typeof byNode | typeof byNative): Promise<void> => {
    const record = await runShortTrialAgain({
      ...load,
      target: route.name,
      deployment: lookingEarly(target.deployment),
      directory: target.directory,
      workload: transfer,
      sessions: 4,
      depth: 1,
      batch: 16,
      // On some dozens one batch may be the victim more often than it is sent again.
      parameters: smallParameters(transfer, { rows: 400 }),
    });
    expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
    if (record.status !== 'ok') return;
    expect(record.audit).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(record.result.total.faults).toEqual({});
    expect(record.result.total.retries).toBeGreaterThan(0);
  };

  test('by the Node load client', async () => {
    await expect(sentBy(byNode)).resolves.toBeUndefined();
  });

  test.skipIf(command === null)('by the native one', needsNative, async () => {
    await expect(sentBy(byNative)).resolves.toBeUndefined();
  });
});
