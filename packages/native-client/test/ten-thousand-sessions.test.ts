import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import nullConnector from '@fair-bench/connector-null';
import { routeOf } from '@fair-bench/contract';
import { runClient } from '@fair-bench/load-client/test-support';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

const sessions = 10_000;
const gibibyte = 2 ** 30;

describe.skipIf(command === null)('the native client', needsNative, () => {
  let target: TestTarget;

  beforeAll(async () => {
    target = await startTarget(routeOf(nullConnector, 'http'), { sessionsMax: sessions });
    await target.seed();
  });
  afterAll(async () => {
    await target.close();
  });

  test(`keeps ${sessions} sessions under 1 GiB and loses no operation`, { timeout: 180_000 }, async () => {
    const timing = { windowMs: 3000, drainMs: 60_000, connectMs: 90_000, operationMs: 60_000 };
    const result = await runClient(
      command ?? '',
      target.plan('http-rpc', { sessions, depth: 1, threads: 2, timing }),
    );

    expect(await target.audit(result)).toMatchObject({ status: 'passed', mismatches: 0 });
    expect(result.total.faults).toEqual({});
    expect(result.unanswered).toBe(0);
    expect(result.window.applied).toBeGreaterThan(0);
    expect(result.effort.rssBytesMax).toBeLessThan(gibibyte);
  });
});
