import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { ClientCodec, OperationOutcome } from '@fair-bench/contract';
import { connectRpc } from '../src/client.ts';
import { appliedText } from '../src/codec/outcome.ts';
import { rpcEndpoint } from '../src/index.ts';
import { shape as workload } from './support.ts';

let server: Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

const reply = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** A double of a server: counts every transfer that arrives, and cuts each connection after `answers` replies. */
async function cuttingServer(answers: number, cut: (socket: Socket) => void) {
  const arrivals = new Map<number, number>();
  let connections = 0;
  server = createServer((socket) => {
    connections += 1;
    let received = '';
    let answered = 0;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (received.startsWith('GET /health')) {
        received = '';
        socket.write(reply('{"status":"ok"}'));
        return;
      }
      const bodies = [...received.matchAll(/\{"source":(\d+),[^}]*\}/g)];
      received = received.slice((bodies.at(-1)?.index ?? 0) + (bodies.at(-1)?.[0].length ?? 0));
      for (const [, source] of bodies) {
        arrivals.set(Number(source), (arrivals.get(Number(source)) ?? 0) + 1);
        if (answered < answers) socket.write(reply(appliedText));
        answered += 1;
      }
      if (answered > answers) cut(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, arrivals, connections: () => connections };
}

const cuts: Record<string, (socket: Socket) => void> = {
  'a FIN': (socket) => socket.end(),
  'a RST': (socket) => socket.resetAndDestroy(),
  'bytes that are no HTTP': (socket) => socket.end('nonsense\r\n\r\n'),
  'a reply that announces the close': (socket) =>
    socket.end(
      `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${appliedText.length}\r\n\r\n${appliedText}`,
    ),
};

const connect = async (url: string, codec: ClientCodec, depth = 16) =>
  await connectRpc(rpcEndpoint(url, codec), {
    index: 0,
    depth,
    signal: AbortSignal.timeout(10_000),
    workload,
  });

for (const [name, cut] of Object.entries(cuts)) {
  for (const answers of [0, 1, 5]) {
    test(`${name} after ${answers} of 16 pipelined transfers`, async () => {
      const double = await cuttingServer(answers, cut);
      const session = await connect(double.url, 'tuned');
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, (_value, source) => session.execute(0, [source, 99, 1n])),
      );
      // Time for a possible resend to arrive.
      await new Promise((resolve) => setTimeout(resolve, 50));

      expect(Math.max(...double.arrivals.values())).toBe(1);
      expect(double.connections()).toBe(1);
      const announced = name === 'a reply that announces the close' ? 1 : 0;
      const appliedCount = outcomes.filter(({ kind }) => kind === 'applied').length;
      expect(appliedCount).toBeLessThanOrEqual(answers + announced);
      for (const outcome of outcomes.filter(({ kind }) => kind !== 'applied')) {
        expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
      }

      const next = await session.execute(0, [1_000, 99, 1n]);
      expect(double.connections()).toBe(2);
      expect(double.arrivals.get(1_000)).toBe(1);
      expect(next.kind).toBe(answers + announced > 0 ? 'applied' : 'fault');
      await session.close();
    });

    test(`${name} after ${answers} transfers on a connection of undici's`, async () => {
      const double = await cuttingServer(answers, cut);
      const session = await connect(double.url, 'stock', 4);
      // Each of four takes the next transfer when its own has an outcome, as the load client does.
      const outcomes: OperationOutcome[] = [];
      const sources = Array.from({ length: 48 }, (_value, source) => source).values();
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          for (const source of sources) outcomes.push(await session.execute(0, [source, 99, 1n]));
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 50));

      expect([...double.arrivals.values()]).toEqual(outcomes.map(() => 1));
      const lost = outcomes.filter(({ kind }) => kind !== 'applied');
      // A connection ends with its last transfer: answered with the announcement, else in doubt.
      const isAnswered = name === 'a reply that announces the close';
      expect(lost.length > 0).toBe(!isAnswered);
      expect(outcomes.length - lost.length >= answers).toBe(true);
      for (const outcome of lost) {
        expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
      }
      await session.close();
      expect(await session.execute(0, [1, 2, 1n])).toMatchObject({
        code: 'connection-refused',
        inDoubt: false,
      });
    });
  }
}

test.each(['stock', 'tuned'] as const)(
  'a server that is gone refuses without doubt, and the %s session works again when it is back',
  async (codec) => {
    const double = await cuttingServer(0, (socket) => socket.end());
    // A connection of undici's that was not used stays.
    const session = await connect(double.url, codec, 1);
    const port = Number(new URL(double.url).port);
    await session.execute(0, [1, 2, 1n]);
    await new Promise((resolve) => server.close(resolve));
    const refusedOutcomes = await Promise.all([1, 2, 3].map((source) => session.execute(0, [source, 9, 1n])));
    for (const outcome of refusedOutcomes) {
      expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-refused', inDoubt: false });
    }
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const outcome = await session.execute(0, [5, 6, 1n]);
    expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
    await session.close();
  },
);

test('closing a session of undici leaves what is outstanding in doubt', async () => {
  const double = await cuttingServer(0, () => undefined);
  const session = await connect(double.url, 'stock', 2);
  const outstanding = [1, 2].map((source) => session.execute(0, [source, 9, 1n]));
  await expect.poll(() => double.arrivals.size).toBe(2);
  await session.close();
  for (const outcome of await Promise.all(outstanding)) {
    expect(outcome).toMatchObject({ kind: 'fault', code: 'connection-lost', inDoubt: true });
  }
});

test('a session of undici does not open on a port of another server', async () => {
  server = createServer((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  await expect(connect(url, 'stock')).rejects.toThrow(
    `${url}/health answered 404; is another server on this port?`,
  );
});
