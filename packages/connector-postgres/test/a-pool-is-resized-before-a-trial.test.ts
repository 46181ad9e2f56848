import { routeOf } from '@fair-bench/contract';
import { startLoneTarget } from '@fair-bench/supervisor';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import connector from '../src/index.ts';
import { boxes } from './support/boxes/workload.ts';
import { soon, startServer, type TestServer } from './support/provision.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => await server.close());

test.each(['stock', 'tuned'])(
  'of the %s codec: the server opens as many connections, reports them, and has none while it rests',
  async (clientCodec) => {
    const { url } = server.service;
    const options = { url, poolSize: 4, processes: 2, extra: { clientCodec }, workload: boxes };
    const target = await startLoneTarget(routeOf(connector, 'storedproc'), options);
    const sizeNow = async () => {
      const { appServer, writersMax } = await target.deployment.facts(soon());
      return { perProcess: appServer?.poolSizePerProcess, writersMax, connections: await connectionsAt(url) };
    };
    try {
      // Until it is prepared or used.
      await expect.poll(sizeNow).toEqual({ perProcess: 2, writersMax: 4, connections: 0 });
      // A rest before it keeps the size.
      await target.deployment.rest?.(soon());
      await target.deployment.prepare(soon());
      await expect.poll(sizeNow).toEqual({ perProcess: 2, writersMax: 4, connections: 4 });
      for (const [poolSize, perProcess] of [
        [9, 5],
        [2, 1],
      ] as const) {
        await target.deployment.prepare(soon(), poolSize);
        const now = { perProcess, writersMax: 2 * perProcess, connections: 2 * perProcess };
        await expect.poll(sizeNow).toEqual(now);
        // Connections that were not used have nothing to report: the counters before a trial leave them open.
        await target.deployment.counters(soon());
        await expect.poll(sizeNow).toEqual(now);
        await target.deployment.rest?.(soon());
        await expect.poll(sizeNow).toEqual({ ...now, connections: 0 });
      }
    } finally {
      await target.close();
    }
  },
);

async function connectionsAt(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'fair-bench postgres-storedproc'",
    );
    return rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}
