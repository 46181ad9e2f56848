import { chosen } from '@fair-bench/contract/test-support';
import { describe, expect, test } from 'vitest';
import postgres from '@fair-bench/connector-postgres';
import { type Deployment, routeOf } from '@fair-bench/contract';
import { onThisMachine, runShortTrialAgain, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { startLoneTarget } from '@fair-bench/supervisor';
import { smallParameters } from '@fair-bench/workload';
import order from '@fair-bench/workloads/order';
import { command, needsNative } from './support/native.ts';

const route = routeOf(postgres, 'driver');

/** Its sessions are sampled more often than one transaction in 2,000: a short trial has few. */
function sampledOften(deployment: Deployment): Deployment {
  const url = new URL(deployment.endpoint.url);
  url.searchParams.set('options', '-clog_transaction_sample_rate=0.05');
  return { ...deployment, endpoint: { ...deployment.endpoint, url: url.href } };
}

describe.skipIf(command === null)('by the native client', needsNative, () => {
  test.each(chosen(['prepared', 'extended', 'simple'] as const, (protocol) => protocol === 'simple'))(
    '%s calls are what the server saw, and their work passes the audit',
    async (protocol) => {
      const workload = targetWorkload(await workloadNamed('order'));
      const target = await startLoneTarget(route, { workload, protocol });
      try {
        const record = await runShortTrialAgain({
          target: route.name,
          deployment: sampledOften(target.deployment),
          client: { kind: 'native', protocol: 'postgres' },
          loadClient: onThisMachine({ command: command ?? '', arguments: [] }),
          directory: target.directory,
          workload: order,
          parameters: smallParameters(order, { rows: 50 }),
        });
        expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
        if (record.status !== 'ok') return;
        expect(record.factsBefore.statementProtocol).toBe(protocol);
        const { [protocol]: own, ...others } = record.observed.protocols ?? {};
        expect(own).toBeGreaterThan(0);
        expect(Object.values(others)).toEqual([0, 0]);
      } finally {
        await target.close();
      }
    },
  );
});
