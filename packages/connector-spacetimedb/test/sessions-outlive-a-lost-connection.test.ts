import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { routeOf } from '@fair-bench/contract';
import { startLoneTarget } from '@fair-bench/supervisor';
import client from '../src/client.ts';
import connector from '../src/index.ts';
import { skipWithoutServer } from './skip-without-server.ts';
import { balances, seed, transfers } from './transfers.ts';

const depth = 8;
const applied = { kind: 'applied', reply: null, retries: 0 };
const values = [0, 1, 1n];

test('outstanding operations are in doubt and not sent again, and the next call opens a new connection', async ({
  skip,
}) => {
  await skipWithoutServer(skip);
  const target = await startLoneTarget(routeOf(connector, 'sdk'), { workload: transfers });
  const { endpoint, tables } = target.deployment;
  if (tables === undefined) throw new Error('the deployment has no tables');
  const wire = await startProxy(new URL(endpoint.url).port);
  try {
    await seed(tables, 2, 100n);
    const proxied = { ...endpoint, url: `http://127.0.0.1:${wire.port}` };
    const context = { index: 0, depth, signal: AbortSignal.timeout(10_000), workload: transfers.shape };
    const session = await client.connect(proxied, context);
    expect(await session.execute(0, values)).toEqual(applied);
    wire.holdReplies();
    const outstanding = Array.from({ length: depth }, () => session.execute(0, values));
    // All of them have happened before the connection is lost.
    await expect.poll(async () => await balances(tables)).toEqual([100n - 9n, 100n + 9n]);
    wire.cut();
    for (const outcome of await Promise.all(outstanding)) {
      expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
    }
    expect(await session.execute(0, values)).toEqual(applied);
    expect(wire.connections()).toBe(2);
    expect(await balances(tables)).toEqual([100n - 10n, 100n + 10n]);
    await wire.close();
    expect(await session.execute(0, values)).toMatchObject({
      kind: 'fault',
      code: expect.stringMatching(/^connection-/),
    });
    await expect
      .poll(async () => await session.execute(0, values))
      .toMatchObject({
        code: 'connection-refused',
        inDoubt: false,
      });
    await session.close();
    expect(await balances(tables)).toEqual([100n - 10n, 100n + 10n]);
  } finally {
    await wire.close();
    await target.close();
  }
});

interface Proxy {
  readonly port: number;
  connections(): number;
  /** From now on the server's messages on the present connections do not arrive. */
  holdReplies(): void;
  /** Ends the present connections. */
  cut(): void;
  close(): Promise<void>;
}

async function startProxy(upstreamPort: string): Promise<Proxy> {
  const pairs: { downstream: Socket; upstream: Socket }[] = [];
  const server = createServer((downstream) => {
    const upstream = connect(Number(upstreamPort), '127.0.0.1');
    pairs.push({ downstream, upstream });
    for (const socket of [downstream, upstream]) socket.on('error', () => socket.destroy());
    downstream.pipe(upstream).pipe(downstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const cut = (): void => {
    for (const { downstream, upstream } of pairs) {
      downstream.destroy();
      upstream.destroy();
    }
  };
  return {
    port: address.port,
    connections: () => pairs.length,
    holdReplies() {
      for (const { downstream, upstream } of pairs) upstream.unpipe(downstream);
    },
    cut,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
