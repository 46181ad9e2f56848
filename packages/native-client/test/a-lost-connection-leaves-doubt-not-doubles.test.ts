import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import postgres from '@fair-bench/connector-postgres';
import { type Endpoint, routeOf } from '@fair-bench/contract';
import { Client } from 'pg';
import { runClient, startClient } from '@fair-bench/load-client/test-support';
import { command, needsNative } from './support/native.ts';
import { type TestTarget, startTarget } from './support/target.ts';

describe.skipIf(command === null)(
  'the native client, after its PostgreSQL sessions were ended during the run',
  needsNative,
  () => {
    let target: TestTarget;

    beforeAll(async () => {
      target = await startTarget(routeOf(postgres, 'driver'));
    });
    beforeEach(async () => {
      await target.seed();
    });
    afterAll(async () => {
      await target.close();
    });

    test('connects again, sends nothing twice, and operations in doubt explain every balance', async () => {
      const client = startClient(command ?? '');
      const timing = { windowMs: 2000 };
      client.lead(target.plan('postgres', { sessions: 4, depth: 2, timing }));
      await client.event((event) => event.type === 'phase' && event.phase === 'window');
      const ended = await endSessions(target.deployment.endpoint);

      expect(await client.ended).toBe(0);
      const last = client.events.at(-1);
      if (last?.type !== 'result') throw new Error(`the last event is no result: ${client.stderr()}`);
      const { result } = last;
      expect(ended).toBe(4);
      expect(result.total.faults['connection-lost']).toBeGreaterThanOrEqual(1);
      expect(result.total.inDoubt).toBe(result.total.faults['connection-lost']);
      // Few, because more than 1 % in doubt would fail the audit. After the loss there were successes again.
      expect(result.series.at(-1)?.applied).toBeGreaterThan(0);
      expect(await target.audit(result)).toMatchObject({
        status: 'passed',
        mismatches: 0,
        inDoubt: result.total.inDoubt,
      });
    });

    test('its sessions have the settings of the URL and the endpoint’s name', async () => {
      const { url, options } = target.deployment.endpoint;
      const endpoint = { url: `${url}?options=-c%20lock_timeout%3D4321`, options };
      const running = runClient(
        command ?? '',
        target.plan('postgres', { endpoint, timing: { windowMs: 1500 } }),
      );
      const seen = await query(
        url,
        'SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1',
        [options['applicationName']],
        4,
      );

      expect(seen).toBe(4);
      expect((await running).total.faults).toEqual({});
    });
  },
);

async function endSessions({ url, options }: Endpoint): Promise<number> {
  return await query(
    url,
    'SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity WHERE application_name = $1',
    [options['applicationName']],
    1,
  );
}

/** A count, read until it reaches `least` or five seconds have passed. */
async function query(url: string, text: string, values: unknown[], least: number): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const deadlineMs = performance.now() + 5000;
    for (;;) {
      const { rows } = await client.query<{ count: number }>(text, values);
      const count = rows[0]?.count ?? 0;
      if (count >= least || performance.now() > deadlineMs) return count;
    }
  } finally {
    await client.end();
  }
}
