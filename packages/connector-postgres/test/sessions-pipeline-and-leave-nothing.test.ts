import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import client from '../src/clients/driver.ts';
import { boxes, operations } from './support/boxes/workload.ts';
import { type TestDeployment, provisionForTest } from './support/driver-target.ts';
import { seedBoxes } from './support/provision.ts';

let target: TestDeployment;

beforeAll(async () => {
  target = await provisionForTest();
  const { tables } = target.deployment;
  if (tables === undefined) throw new Error('the target has no tables');
  await seedBoxes({ tables }, 1_000, 1_000n);
});

afterAll(async () => {
  await target.close();
});

test('facts are those of the timed sessions, with no application server', async () => {
  const facts = await target.deployment.facts(AbortSignal.timeout(10_000));
  expect(facts).toMatchObject({
    system: { name: 'PostgreSQL' },
    provider: 'embedded',
    durability: 'durable',
    isolation: 'read-committed',
    appServer: null,
    writersMax: 50,
  });
  expect(facts.storage.directory).not.toBe(null);
});

test('counters are complete once the sessions have closed', async () => {
  const { deployment } = target;
  const before = await deployment.counters(AbortSignal.timeout(10_000));
  const session = await target.session();
  for (let count = 0; count < 30; count += 1) {
    expect(await session.execute(operations.move, [500, 501, 1n])).toMatchObject({
      kind: 'applied',
    });
  }
  await session.close();
  const after = await deployment.counters(AbortSignal.timeout(10_000));
  expect((after.commits ?? 0) - (before.commits ?? 0)).toBeGreaterThanOrEqual(30);
  expect((after.flushes ?? 0) - (before.flushes ?? 0)).toBeGreaterThanOrEqual(30);
});

test.each(['stock', 'tuned'])(
  'outstanding operations up to the depth are on the wire, not in a queue of the %s client',
  async (codec) => {
    const { url } = target.deployment.endpoint;
    const options = { ...target.deployment.endpoint.options, codec };
    const wire = await countingProxy(new URL(url).port);
    const proxied = new URL(url);
    proxied.port = String(wire.port);
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    const session = await client.connect(
      { url: proxied.href, options },
      { index: 0, depth: 8, signal: AbortSignal.timeout(10_000), workload: boxes.shape },
    );
    try {
      // The first call of the stock client also has the statement parsed.
      await session.execute(operations.move, [3, 4, 1n]);
      await blocker.query('BEGIN');
      await blocker.query('UPDATE fair_bench.box SET items = items WHERE id = 1');
      const settled: number[] = [];
      const before = wire.bytes();
      const first = session.execute(operations.move, [1, 2, 1n]).then(() => settled.push(0));
      await expect.poll(wire.bytes).toBeGreaterThan(before);
      await wire.settled();
      const oneCall = wire.bytes() - before;
      const others = Array.from({ length: 7 }, async (_, index) => {
        await session.execute(operations.move, [3 + index, 2, 1n]);
        settled.push(index + 1);
      });
      await expect.poll(wire.bytes).toBe(before + 8 * oneCall);
      expect(settled).toEqual([]);
      await blocker.query('COMMIT');
      await Promise.all([first, ...others]);
      expect(settled).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    } finally {
      await session.close();
      await blocker.end();
      await wire.close();
    }
  },
);

test('closing settles outstanding operations as in doubt', async () => {
  const blocker = new Client({ connectionString: target.deployment.endpoint.url });
  await blocker.connect();
  const session = await target.session();
  try {
    await blocker.query('BEGIN');
    await blocker.query('UPDATE fair_bench.box SET items = items WHERE id = 1');
    const outcome = session.execute(operations.move, [1, 2, 1n]);
    await session.close();
    expect(await outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
  } finally {
    await blocker.end();
  }
});

test('a process that has closed its sessions ends by itself', async () => {
  const script = fileURLToPath(new URL('./support/one-operation-then-close.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(target.deployment.endpoint)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 10_000,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  expect({ output, exitCode: child.exitCode }).toEqual({ output: 'applied\n', exitCode: 0 });
});

test('a session that cannot connect rejects', async () => {
  const refused = new URL(target.deployment.endpoint.url);
  refused.password = 'wrong';
  await expect(
    client.connect(
      { url: refused.href, options: target.deployment.endpoint.options },
      { index: 0, depth: 1, signal: AbortSignal.timeout(10_000), workload: boxes.shape },
    ),
  ).rejects.toThrow('password authentication failed');
});

/** Forwards to a port of this machine and counts the bytes that clients send. */
async function countingProxy(
  upstreamPort: string,
): Promise<{ port: number; bytes: () => number; settled: () => Promise<void>; close: () => Promise<void> }> {
  let bytes = 0;
  const sockets: Socket[] = [];
  const server = createServer((downstream) => {
    const upstream = connect(Number(upstreamPort), '127.0.0.1');
    sockets.push(downstream, upstream);
    downstream.on('data', (chunk) => (bytes += chunk.length));
    for (const socket of [downstream, upstream]) socket.on('error', () => undefined);
    downstream.pipe(upstream).pipe(downstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    bytes: () => bytes,
    // A call may come in more than one piece.
    settled: async () => await setTimeout(100),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
