import { execFile } from 'node:child_process';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Endpoint } from '@fair-bench/contract';
import { freePort } from '@fair-bench/supervisor';
import { smallParameters } from '@fair-bench/workload';
import { type Sent, unexplained, writerOf } from './cases.ts';
import type { Fixture, RunningTarget } from './fixture.ts';

/** A step that takes longer counts as hanging. */
const hangMs = 8_000;
const abortAfterMs = 300;
const lossTest = 'a lost connection';
const depth = 8;
/** Operations that may fail before a session has noticed its lost connection and opened a new one. */
const attemptsMax = 8;
const openAndClose = fileURLToPath(new URL('open-and-close.ts', import.meta.url));

export function testSessions(fixture: Fixture): void {
  test('connecting to a port where nobody listens rejects', async ({ skip }) => {
    const target = fixture.target(skip);
    const dead =
      endpointAt(target.deployment.endpoint, await freePort()) ??
      skip('its endpoint has no address whose port could be a dead one');
    const error = await rejectionOf(connectTo(target, dead, AbortSignal.timeout(hangMs)));
    expect(error, 'connect resolved where nobody listens').not.toBeNull();
  });

  test('connecting to a server that never answers ends with the abort of its signal', async ({ skip }) => {
    const target = fixture.target(skip);
    const silent = await localServer((socket) => socket.resume());
    try {
      const endpoint =
        endpointAt(target.deployment.endpoint, silent.port) ??
        skip('its endpoint has no address whose port could be a silent one');
      const error = await rejectionOf(connectTo(target, endpoint, AbortSignal.timeout(abortAfterMs)));
      expect(error, 'connect resolved where nobody answers').not.toBeNull();
    } finally {
      await silent.close();
    }
  });

  test('close settles outstanding operations, and no unreported one is applied', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    const workload = await target.seed();
    const session = await target.connect(workload, { depth });
    const pending = writerOf(workload)
      .applied(depth)
      .map(async ({ operation, values }): Promise<Sent> => {
        return { operation, values, outcome: await session.execute(operation, values) };
      });
    await within(session.close(), 'session.close');
    const sent = await within(Promise.all(pending), 'execute after the session was closed');
    expect(unexplained(workload, sent, await target.settledRows(workload)), target.name).toEqual([]);
  });

  test(`${lossTest} leaves doubt, nothing is sent again, and the next operations open a new connection`, async ({
    skip,
  }) => {
    const target = fixture.soundTarget(skip, lossTest);
    const workload = await target.seed();
    const { endpoint } = target.deployment;
    const proxy = await proxyTo(endpoint);
    try {
      const through = endpointAt(endpoint, proxy.port) ?? skip('its endpoint has no port that could be cut');
      const session = await target.connect(workload, { depth, endpoint: through });
      const cases = writerOf(workload).applied(depth + attemptsMax);
      const execute = async ({ operation, values }: (typeof cases)[number]): Promise<Sent> => ({
        operation,
        values,
        outcome: await session.execute(operation, values),
      });
      try {
        proxy.cutAtNextRequest();
        const sent = await within(Promise.all(cases.slice(0, depth).map(execute)), 'execute');
        for (const next of cases.slice(depth)) {
          if (sent.length > depth && sent.at(-1)?.outcome.kind === 'applied') break;
          await sleep(100);
          sent.push(await within(execute(next), 'execute on a lost connection'));
        }
        expect(sent.at(-1)?.outcome.kind, inspect(sent.at(-1)?.outcome)).toBe('applied');
        const lines = unexplained(workload, sent, await target.settledRows(workload));
        fixture.judged(lossTest, lines.length === 0);
        expect(lines, [target.name, ...lines].join('\n')).toEqual([]);
      } finally {
        await session.close();
      }
    } finally {
      await proxy.close();
    }
  });

  test('a process that has closed its session ends by itself', async ({ skip }) => {
    const target = fixture.soundTarget(skip);
    await target.seed();
    const { description } = target.workload;
    const plan = { description, parameters: smallParameters(description) };
    const words = [
      openAndClose,
      target.clientModulePath,
      JSON.stringify(target.deployment.endpoint),
      JSON.stringify(plan),
    ];
    const { ended, output } = await new Promise<{ ended: boolean; output: string }>((resolve) => {
      execFile(process.execPath, words, { timeout: hangMs }, (error, stdout, stderr) => {
        resolve({ ended: error === null, output: `${stdout}${stderr}`.trim() });
      });
    });
    expect(output, `${target.name}: the first operation of another process`).toMatch(/^applied/);
    const left = /left: (.*)/.exec(output)?.[1] ?? output;
    const mistake = `${target.name}: its process still runs ${hangMs / 1000} s after session.close(), with ${left}; close must end every socket and timer`;
    expect(ended, mistake).toBe(true);
  });
}

async function connectTo(target: RunningTarget, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  const session = await target.connect(await target.seed(), { endpoint, signal });
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

/** The endpoint with another local port, or null when it has no port. */
function endpointAt({ url, options }: Endpoint, port: number): Endpoint | null {
  if (!URL.canParse(url) || new URL(url).hostname === '') return null;
  const elsewhere = new URL(url);
  elsewhere.hostname = '127.0.0.1';
  elsewhere.port = String(port);
  // In its original form: `href` adds a slash where the path is empty.
  return { url: url.endsWith('/') ? elsewhere.href : elsewhere.href.replace(/\/$/, ''), options };
}

interface LocalServer {
  readonly port: number;
  close(): Promise<void>;
}

async function localServer(accept: (socket: Socket) => void): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    accept(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the local server has no port');
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

/** Forwards bytes until it must cut every connection at the next request, which still reaches the server. */
async function proxyTo({ url }: Endpoint): Promise<LocalServer & { cutAtNextRequest(): void }> {
  const { hostname, port } = URL.canParse(url) ? new URL(url) : { hostname: '', port: '' };
  const open = new Set<Socket>();
  let isArmed = false;
  const server = await localServer((client) => {
    const upstream = createConnection({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
    open.add(client);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      upstream.write(bytes);
      if (!isArmed) return;
      isArmed = false;
      for (const socket of open) socket.destroy();
      open.clear();
    });
  });
  return { ...server, cutAtNextRequest: () => void (isArmed = true) };
}
