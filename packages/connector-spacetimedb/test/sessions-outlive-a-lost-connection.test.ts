import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { applied, routeOf } from '@fair-bench/contract';
import { startLoneTarget } from '@fair-bench/supervisor';
import client from '../src/client.ts';
import connector from '../src/index.ts';
import { skipWithoutServer } from './skip-without-server.ts';

const depth = 8;

test('what is outstanding is in doubt, is not sent again, and the next call connects anew', async ({
  skip,
}) => {
  await skipWithoutServer(skip);
  const target = await startLoneTarget(routeOf(connector, 'sdk'));
  const { endpoint, workloads } = target.deployment;
  const access = workloads.transfer;
  if (access === undefined) throw new Error('the deployment has no dataset');
  const wire = await startProxy(new URL(endpoint.url).port);
  try {
    await access.seed({ accounts: 2, initialBalance: 100n }, AbortSignal.timeout(10_000));
    const proxied = { ...endpoint, url: `http://127.0.0.1:${wire.port}` };
    const context = { index: 0, depth, signal: AbortSignal.timeout(10_000) };
    const session = await client.sessions.transfer?.(proxied, context);
    if (session === undefined) throw new Error('the client has no transfer sessions');
    const transfer = { source: 0, target: 1, amount: 1n };
    expect(await session.execute(transfer)).toEqual(applied);
    wire.holdReplies();
    const outstanding = Array.from({ length: depth }, () => session.execute(transfer));
    // All of them have happened before the connection goes.
    await expect.poll(async () => await balances(access)).toEqual([100n - 9n, 100n + 9n]);
    wire.cut();
    for (const outcome of await Promise.all(outstanding)) {
      expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
    }
    expect(await session.execute(transfer)).toEqual(applied);
    expect(wire.connections()).toBe(2);
    expect(await balances(access)).toEqual([100n - 10n, 100n + 10n]);
    await wire.close();
    expect(await session.execute(transfer)).toMatchObject({
      kind: 'fault',
      code: expect.stringMatching(/^connection-/),
    });
    await expect
      .poll(async () => await session.execute(transfer))
      .toMatchObject({
        code: 'connection-refused',
        inDoubt: false,
      });
    await session.close();
    expect(await balances(access)).toEqual([100n - 10n, 100n + 10n]);
  } finally {
    await wire.close();
    await target.close();
  }
});

type Access = NonNullable<Awaited<ReturnType<typeof startLoneTarget>>['deployment']['workloads']['transfer']>;

async function balances(access: Access): Promise<readonly bigint[]> {
  const found: bigint[] = [];
  for await (const page of access.balances(AbortSignal.timeout(10_000))) {
    for (const [index, id] of page.ids.entries()) found[id] = page.balances[index] ?? -1n;
  }
  return found;
}

interface Proxy {
  readonly port: number;
  connections(): number;
  /** From now on nothing that the server says on the present connections arrives. */
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
