import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { blindObserver } from '@fair-bench/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureRoundTrips } from '../src/probes/round-trip.ts';

const server = createServer((socket) => socket.resume());
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => void server.close());

const signal = new AbortController().signal;

test('a server with a stated delay has it as median, and the delay of its slowest statements as p99', async () => {
  const [usual, slow] = [10, 60];
  let [sent, closed] = [0, 0];
  const observer = {
    ...blindObserver,
    ping: async () => {
      sent += 1;
      // 3 of 100, so that a stall of the machine or two are not what is seen.
      await sleep(sent % 33 === 0 ? slow : usual);
    },
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
  };
  const urls = { near: `postgres://u@127.0.0.1:${port}/d` };
  const [found] = await measureRoundTrips(urls, () => Promise.resolve(observer), signal);
  expect(found).toMatchObject({ target: 'near', samples: 10 });
  expect(found).not.toHaveProperty('remote');
  const statement = found?.statementMs;
  expect(statement?.p50).toBeGreaterThanOrEqual(usual - 1);
  expect(statement?.p50).toBeLessThan(usual + 5);
  expect(statement?.p99).toBeGreaterThanOrEqual(slow - 1);
  expect(statement?.samples).toBeGreaterThan(100);
  // One more prepares the statement.
  expect(sent).toBe((statement?.samples ?? 0) + 1);
  expect(closed).toBe(1);
});

test('a system without such a statement, or that is not ready, has its handshakes alone', async () => {
  const urls = { near: `postgres://u@127.0.0.1:${port}/d` };
  for (const observer of [blindObserver, null]) {
    const [found] = await measureRoundTrips(urls, () => Promise.resolve(observer), signal);
    expect(Object.keys(found ?? {})).toEqual(['target', 'tcpConnectMsMin', 'samples']);
  }
});

test('an endpoint where nobody answers is left out', async () => {
  const urls = { away: 'postgres://u@127.0.0.1:1/d' };
  expect(await measureRoundTrips(urls, () => Promise.resolve(null), signal)).toEqual([]);
});
