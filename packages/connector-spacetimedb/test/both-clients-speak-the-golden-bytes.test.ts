import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { OperationOutcome } from '@fair-bench/contract';
import { connectSession } from '../src/session.ts';
import { SocketDouble } from './socket-double.ts';
import { transfers } from './transfers.ts';

/** The native client's tests compare their encoding with this file, which the SDK makes here. */
const goldenPath = new URL('../../../native/spacetimedb-wire/tests/golden.json', import.meta.url);
const hexSchema = z.string().transform((text) => Buffer.from(text, 'hex'));
const goldenSchema = z.strictObject({
  greeting: hexSchema,
  calls: z.array(
    z.strictObject({ source: z.number(), target: z.number(), amount: z.string().transform(BigInt) }),
  ),
  /** All calls in one frame, numbered from 0. */
  clientFrame: hexSchema,
  /** The replies to them, in another order. */
  serverFrame: hexSchema,
  /** By call. */
  outcomes: z.array(z.custom<OperationOutcome>()),
});

afterEach(() => {
  vi.unstubAllGlobals();
  SocketDouble.last = undefined;
});

test('the SDK sends the golden calls in one frame and reads the golden replies', async () => {
  vi.stubGlobal('WebSocket', SocketDouble);
  const golden = goldenSchema.parse(JSON.parse(await readFile(goldenPath, 'utf8')));
  const options = { url: 'http://127.0.0.1:1', database: 'golden', confirmedReads: true };
  const connecting = connectSession(options, transfers.shape, AbortSignal.timeout(5_000));
  const socket = await vi.waitUntil(() => SocketDouble.last);
  // The SDK takes the socket's handlers in a later turn.
  await vi.waitUntil(() => socket.onopen !== undefined && socket.onmessage !== undefined);
  socket.open();
  socket.say(golden.greeting);
  const session = await connecting;
  const outcomes = golden.calls.map(({ source, target, amount }) =>
    session.execute(0, [source, target, amount]),
  );
  await vi.waitUntil(() => socket.sent.length > 0);
  expect(Buffer.concat(socket.sent).toString('hex')).toBe(golden.clientFrame.toString('hex'));
  expect(socket.sent).toHaveLength(1);
  socket.say(golden.serverFrame);
  expect(await Promise.all(outcomes)).toMatchObject(golden.outcomes);
  await session.close();
});
