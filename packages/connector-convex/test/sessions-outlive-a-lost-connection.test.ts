import { afterEach, expect, test } from 'vitest';
import type { DataPlane } from '@fair-bench/contract';
import { type ConvexProtocolDouble, GivenUp, startConvexProtocolDouble } from './support/index.ts';
import httpClient from '../src/clients/http.ts';
import client from '../src/clients/sdk.ts';
import { seedDouble } from './support/seed-double.ts';
import { transfers } from './support/transfers.ts';

const depth = 8;
const applied = { kind: 'applied', reply: null, retries: 0 };
const values = [0, 1, 1n];
let double: ConvexProtocolDouble | undefined;
let failure: Error | null = null;
afterEach(async () => {
  failure = null;
  await double?.close();
  double = undefined;
});

async function open(): Promise<{ served: ConvexProtocolDouble; session: DataPlane }> {
  const served = (double = await startConvexProtocolDouble({ failure: () => failure }));
  await seedDouble(served, 100n);
  const context = { index: 0, depth, signal: AbortSignal.timeout(10_000), workload: transfers.shape };
  const session = await client.connect({ url: served.url, options: {} }, context);
  return { served, session };
}

test('outstanding operations are in doubt and not sent again, and the next call opens a new connection', async () => {
  const { served, session } = await open();
  expect(await session.execute(0, values)).toEqual(applied);
  const before = served.mutations();
  served.holdReplies();
  const outstanding = Array.from({ length: depth }, () => session.execute(0, values));
  await expect.poll(() => served.mutations()).toBe(before + depth);
  served.cut();
  for (const outcome of await Promise.all(outstanding)) {
    expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
  }
  expect(await session.execute(0, values)).toEqual(applied);
  expect([served.connections(), served.mutations()]).toEqual([2, before + depth + 1]);
  await served.close();
  double = undefined;
  await expect
    .poll(async () => await session.execute(0, values))
    .toMatchObject({ kind: 'fault', code: 'connection-refused', inDoubt: false });
  await session.close();
  expect(await session.execute(0, values)).toMatchObject({ code: 'connection-refused', inDoubt: false });
});

test('as many mutations as are outstanding are on the wire of one connection', async () => {
  const { served, session } = await open();
  const outcomes = await Promise.all(Array.from({ length: depth }, () => session.execute(0, values)));
  expect(outcomes).toEqual(Array.from({ length: depth }, () => applied));
  expect([served.connections(), served.waitingMax()]).toEqual([1, depth]);
  await session.close();
});

test('a mutation that Convex gives up ends the connection, and the fault says why', async () => {
  const { served, session } = await open();
  failure = new GivenUp('OptimisticConcurrencyControlFailure');
  const outcomes = await Promise.all(Array.from({ length: depth }, () => session.execute(0, values)));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      kind: 'fault',
      code: 'connection-lost',
      inDoubt: true,
      message: expect.stringContaining('OptimisticConcurrencyControlFailure'),
    });
  }
  failure = null;
  expect(await session.execute(0, values)).toEqual(applied);
  expect(served.connections()).toBe(2);
  await session.close();
});

test('a function that threw has applied nothing, and the connection holds', async () => {
  const { served, session } = await open();
  failure = new Error('unique() query returned more than one result');
  expect(await session.execute(0, values)).toMatchObject({ code: 'server-error', inDoubt: false });
  failure = null;
  expect(await session.execute(0, values)).toEqual(applied);
  expect(served.connections()).toBe(1);
  await session.close();
});

test.each([
  ['undici', {}],
  ['the tuned client', { codec: 'tuned' }],
])('HTTP actions by %s apply every outstanding operation once', async (_, options) => {
  const served = (double = await startConvexProtocolDouble());
  await seedDouble(served, 100n);
  const context = { index: 0, depth, signal: AbortSignal.timeout(10_000), workload: transfers.shape };
  const session = await httpClient.connect({ url: served.siteUrl, options }, context);
  const outcomes = await Promise.all(Array.from({ length: 2 * depth }, () => session.execute(0, values)));
  expect(outcomes).toEqual(Array.from({ length: 2 * depth }, () => applied));
  expect(served.requests().filter((request) => request === 'POST /transfer')).toHaveLength(2 * depth);
  await session.close();
});
