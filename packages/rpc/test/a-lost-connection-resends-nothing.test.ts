import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectRpc } from '../src/client.ts';
import { appliedText } from '../src/codec/outcome.ts';
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

for (const [name, cut] of Object.entries(cuts)) {
  for (const answers of [0, 1, 5]) {
    test(`${name} after ${answers} of 16 pipelined transfers`, async () => {
      const double = await cuttingServer(answers, cut);
      const signal = AbortSignal.timeout(10_000);
      const session = await connectRpc(
        { url: double.url, options: {} },
        { index: 0, depth: 16, signal, workload },
      );
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
  }
}

test('a server that is gone refuses without doubt, and the session works again when it is back', async () => {
  const double = await cuttingServer(0, (socket) => socket.end());
  const signal = AbortSignal.timeout(10_000);
  const session = await connectRpc(
    { url: double.url, options: {} },
    { index: 0, depth: 4, signal, workload },
  );
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
});
