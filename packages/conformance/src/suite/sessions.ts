import { execFile } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { applied, type Endpoint, outcomeSchema } from '@fair-bench/contract';
import { freePort } from '@fair-bench/supervisor';
import { importTransferClient } from '../client-module.ts';
import type { Fixture } from './fixture.ts';

/** How long a step that has to end may take before it counts as hanging. */
const hangMs = 8_000;
const abortAfterMs = 300;
const openAndClose = fileURLToPath(new URL('open-and-close.ts', import.meta.url));

export function testSessions(fixture: Fixture): void {
  test('connecting to a port where nobody listens rejects', async ({ skip }) => {
    const { deployment } = fixture.target(skip);
    const dead =
      endpointAt(deployment.endpoint, await freePort()) ??
      skip('its endpoint has no address whose port could be a dead one');
    const error = await rejectionOf(connectTo(fixture, dead, AbortSignal.timeout(hangMs)));
    expect(error, 'connect resolved where nobody listens').not.toBeNull();
  });

  test('connecting to a server that never answers ends with the abort of its signal', async ({ skip }) => {
    const { deployment } = fixture.target(skip);
    const silent = await silentServer();
    try {
      const endpoint =
        endpointAt(deployment.endpoint, silent.port) ??
        skip('its endpoint has no address whose port could be a silent one');
      const error = await rejectionOf(connectTo(fixture, endpoint, AbortSignal.timeout(abortAfterMs)));
      expect(error, 'connect resolved where nobody answers').not.toBeNull();
    } finally {
      await silent.close();
    }
  });

  test('close settles what is outstanding, and nothing of it is applied unsaid', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(2, 1_000n);
    const session = await target.connect(0, 8);
    const pending = Array.from({ length: 8 }, () => session.execute({ source: 0, target: 1, amount: 1n }));
    await within(session.close(), 'session.close');
    const outcomes = await within(Promise.all(pending), 'execute, once the session was closed,');
    for (const outcome of outcomes) expect(() => outcomeSchema.parse(outcome)).not.toThrow();
    const sure = outcomes.filter(({ kind }) => kind === 'applied').length;
    const doubtful = outcomes.filter((outcome) => outcome.kind === 'fault' && outcome.inDoubt).length;
    const [source = 0n, sink = 0n] = await target.settledBalances();
    expect(source + sink).toBe(2_000n);
    const moved = Number(1_000n - source);
    expect(moved, 'what was acknowledged has happened').toBeGreaterThanOrEqual(sure);
    expect(moved, 'what was refused, or declined, has not').toBeLessThanOrEqual(sure + doubtful);
  });

  test('a process that has closed its session ends by itself', async ({ skip }) => {
    const target = fixture.target(skip);
    await target.seed(2, 1_000n);
    const words = [openAndClose, target.clientModulePath, JSON.stringify(target.deployment.endpoint)];
    const ended = await new Promise<string>((resolve) => {
      execFile(process.execPath, words, { timeout: hangMs }, (error, stdout, stderr) => {
        const fate = error === null ? 'ended' : `did not end by itself: ${error.message}${stderr}`;
        resolve(`${stdout.split(',')[0] ?? ''}, ${fate} ${error === null ? '' : stdout}`.trim());
      });
    });
    expect(ended, 'close resolves when no socket and no timer is left').toBe(`${applied.kind}, ended`);
  });
}

async function connectTo(fixture: Fixture, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  const connect = await importTransferClient(fixture.clientModulePath);
  const session = await connect(endpoint, { index: 0, depth: 1, signal });
  await session.close();
}

async function rejectionOf(connecting: Promise<void>): Promise<unknown> {
  return await within(
    connecting.then(
      () => null,
      (error: unknown) => error ?? 'no reason',
    ),
    'connect',
  );
}

async function within<Result>(work: Promise<Result>, what: string): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not settle within ${hangMs} ms`)), hangMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The endpoint with another port of this machine, or null when it is not reached by a port. */
function endpointAt({ url, options }: Endpoint, port: number): Endpoint | null {
  if (!URL.canParse(url) || new URL(url).hostname === '') return null;
  const elsewhere = new URL(url);
  elsewhere.hostname = '127.0.0.1';
  elsewhere.port = String(port);
  return { url: elsewhere.href, options };
}

/** Accepts connections and never says a word. */
async function silentServer(): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the silent server has no port');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
