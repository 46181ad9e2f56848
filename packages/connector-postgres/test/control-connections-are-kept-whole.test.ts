import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ControlConnections, withClient } from '../src/connection.ts';
import { seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

const count = 50_000;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await seedBoxes(server.service, count, 1n);
});
afterAll(async () => {
  await server.close();
});

/** The states of the control connections, once those that were left have ended. */
async function kept(connections: number): Promise<void> {
  const states = async (): Promise<unknown[]> =>
    await withClient({ connectionString: server.service.url }, soon(), async (client) => {
      const text = "SELECT state FROM pg_stat_activity WHERE application_name = 'fair-bench control'";
      return (await client.query({ text, rowMode: 'array' })).rows.flat();
    });
  await expect.poll(states).toEqual(Array.from({ length: connections }, () => 'idle'));
}

test('a scan is read over a kept connection, which ends if the scan is left early', async () => {
  const { tables } = server.service;
  await kept(1);
  expect((await Array.fromAsync(tables.scan(0, soon()))).flat()).toHaveLength(count);
  await kept(1);
  for await (const page of tables.scan(0, soon())) {
    expect(page.length).toBeLessThan(count);
    break;
  }
  await kept(0);
});

test('a connection that is left inside a transaction or has failed ends', async () => {
  const { control } = server.service;
  await control.use(soon(), async (client) => await client.query('SELECT 1'));
  await kept(1);
  await control.use(soon(), async (client) => await client.query('BEGIN'));
  await kept(0);
  await expect(control.use(soon(), async (client) => await client.query('SELECT 1/0'))).rejects.toThrow(
    'zero',
  );
  await kept(0);
});

test('a statement timeout of the role ends no work of the control plane, and behind a pooler nothing is set', async () => {
  const { url } = server.service;
  const short = `${url}?options=${encodeURIComponent('-c statement_timeout=100ms')}`;
  const slow = 'SELECT pg_sleep(0.3)';
  const own = new ControlConnections({ connectionString: short }, 'none');
  await own.use(soon(), async (client) => await client.query(slow));
  own.close();
  const pooled = new ControlConnections({ connectionString: short }, 'transaction');
  await expect(pooled.use(soon(), async (client) => await client.query(slow))).rejects.toThrow(
    'statement timeout',
  );
  pooled.close();
});

test('a use ends at once when it is aborted while it connects', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const control = new ControlConnections({ host: '127.0.0.1', port: address.port }, 'none');
  const startMs = performance.now();
  await expect(control.use(AbortSignal.timeout(50), () => Promise.resolve())).rejects.toThrow('timeout');
  expect(performance.now() - startMs).toBeLessThan(2_000);
  silent.close();
});
