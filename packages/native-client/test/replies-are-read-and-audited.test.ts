import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import nullConnector from '@fair-bench/connector-null';
import postgres from '@fair-bench/connector-postgres';
import { type Route, routeOf } from '@fair-bench/contract';
import { onThisMachine, runShortTrialAgain, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import { smallParameters, type WorkloadDescription } from '@fair-bench/workload';
import counter from '@fair-bench/workloads/counter';
import isolation from '@fair-bench/workloads/isolation';
import order from '@fair-bench/workloads/order';
import { command, needsNative } from './support/native.ts';

/** In `npm test` one of each protocol. */
const routes = chosen<readonly [string, Route, string]>(
  [
    ['PostgreSQL by its own protocol', routeOf(postgres, 'driver'), 'postgres'],
    ['PostgreSQL behind an RPC server', routeOf(postgres, 'storedproc'), 'http-rpc'],
    ['the null RPC server', routeOf(nullConnector, 'http'), 'http-rpc'],
  ],
  (_, place) => place !== 1,
);

/** A row, a scan of rows inserted meanwhile, and writes, with equal weights. */
const reading: WorkloadDescription = {
  ...counter,
  operations: counter.operations.map((operation) => ({ ...operation, weight: 25 })),
};

describe.skipIf(command === null).each(chosen(routes, (_route, place) => place === 0))(
  'the native client at %s',
  needsNative,
  (_name, route, protocol) => {
    const targets = new Map<string, LoneTarget>();
    beforeAll(async () => {
      const starting = ['counter', 'order', 'isolation'].map(async (name) => {
        const workload = targetWorkload(await workloadNamed(name));
        targets.set(name, await startLoneTarget(route, { workload }));
      });
      await Promise.all(starting);
    });
    afterAll(async () => {
      for (const target of targets.values()) await target.close();
    });

    test.each([
      ['rows and scans', reading],
      ['fields', order],
      ['versions', isolation],
    ])('reads %s, and its reads pass the audit', async (_what, workload) => {
      const target = targets.get(workload.name);
      if (target === undefined) throw new Error(`no target for ${workload.name}`);
      const record = await runShortTrialAgain({
        target: route.name,
        deployment: target.deployment,
        client: { kind: 'native', protocol },
        loadClient: onThisMachine({ command: command ?? '', arguments: [] }),
        directory: target.directory,
        workload,
        // Long beside a stall of a machine that runs other tests.
        windowMs: 700,
        parameters: smallParameters(workload, { rows: 50 }),
      });
      expect(record.status === 'ok' ? 'holds' : record.reason).toBe('holds');
      if (record.status !== 'ok') return;
      expect(record.result.client.name).toBe('native');
      expect(record.result.total.faults).toEqual({});
      expect(record.audit.asserted?.length).toBe(workload.operations.length);
    });
  },
);
