import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applied, inDoubt, refused, retriesMax, type Values } from '@fair-bench/contract';
import { type Connection, Outstanding, reconnectingSession } from '../src/index.ts';

/** Replies once to each line except `hang`; ends the connection at `drop`. */
class LineServer {
  readonly received: string[] = [];
  readonly sockets: Socket[] = [];
  readonly #server: Server = createServer((socket) => {
    this.sockets.push(socket.on('error', () => undefined));
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const word of text.trimEnd().split('\n')) {
        this.received.push(word);
        if (word === 'drop') socket.destroy();
        else if (word !== 'hang') socket.write('ok\n');
      }
    });
  });

  async listen(port = 0): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

class LineConnection implements Connection {
  readonly #socket: Socket;
  readonly #outstanding = new Outstanding();
  readonly #replies: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text) =>
      String(text)
        .trimEnd()
        .split('\n')
        .forEach(() => this.#replies.shift()?.()),
    );
    socket.on('close', () => this.#outstanding.settleAll(inDoubt('connection-lost', 'gone')));
  }

  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  execute(_operation: number, [word]: Values) {
    return this.#outstanding.call((settle) => {
      this.#replies.push(() => settle(applied));
      this.#socket.write(`${typeof word === 'string' ? word : ''}\n`);
    });
  }

  async end(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }
}

let server: LineServer;
let port: number;
let opened: number;

beforeEach(async () => {
  server = new LineServer();
  port = await server.listen();
  opened = 0;
});

afterEach(async () => await server.close());

async function open(): Promise<LineConnection> {
  opened += 1;
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return new LineConnection(socket);
}

const openSession = async () => await reconnectingSession({ open, signal: AbortSignal.timeout(5_000) });

test('operations on a lost connection are in doubt and not sent again; the next calls share a new one', async () => {
  const session = await openSession();
  expect(await session.execute(0, ['first'])).toBe(applied);
  const lost = await Promise.all(
    ['hang', 'hang', 'drop'].map(async (word) => await session.execute(0, [word])),
  );
  expect(lost).toEqual(lost.map(() => inDoubt('connection-lost', 'gone')));
  const next = await Promise.all(['a', 'b', 'c'].map(async (word) => await session.execute(0, [word])));
  expect(next).toEqual([applied, applied, applied]);
  expect(opened).toBe(2);
  expect(server.received).toEqual(['first', 'hang', 'hang', 'drop', 'a', 'b', 'c']);
  await session.close();
});

const undone = (retries = 0) => refused('deadlock', 'the victim of a deadlock', retries);

/** A session whose server, a double, undoes the first attempts. */
async function contended(undoneFirst: number, options: { readonly retriesMax?: number } = {}) {
  let sent = 0;
  const attempt = () => (++sent > undoneFirst ? applied : undone());
  const connection = {
    usable: true,
    execute: () => Promise.resolve(attempt()),
    executeBatch: () => {
      const outcome = attempt();
      return Promise.resolve([outcome, outcome]);
    },
    end: () => Promise.resolve(),
  };
  const signal = AbortSignal.timeout(5_000);
  const session = await reconnectingSession({ open: () => Promise.resolve(connection), signal, ...options });
  return { session, sent: () => sent };
}

test('what the server has certainly undone is sent again, at most ten times, and counted', async () => {
  const short = await contended(3);
  expect(await short.session.execute(0, [])).toEqual({ ...applied, retries: 3 });
  expect(short.sent()).toBe(4);
  const batch = await contended(2);
  expect(await batch.session.executeBatch?.([])).toEqual([{ ...applied, retries: 2 }, applied]);
  const long = await contended(100);
  expect(await long.session.execute(0, [])).toEqual(undone(retriesMax));
  expect(long.sent()).toBe(retriesMax + 1);
});

test('where the other end has sent it again itself, it is not', async () => {
  const { session, sent } = await contended(1, { retriesMax: 0 });
  expect(await session.execute(0, [])).toEqual(undone());
  expect(sent()).toBe(1);
});

test('without a server a call is refused without doubt, and a later one connects', async () => {
  const session = await openSession();
  await server.close();
  await (await session.connection().catch(() => undefined))?.end();
  expect(await session.execute(0, ['a'])).toMatchObject({
    kind: 'fault',
    code: 'connection-refused',
    inDoubt: false,
  });
  server = new LineServer();
  await server.listen(port);
  expect(await session.execute(0, ['b'])).toBe(applied);
  await session.close();
  expect(server.received).toEqual(['b']);
});

test('closing settles outstanding operations, and a closed session refuses new ones', async () => {
  const session = await openSession();
  const outstanding = session.execute(0, ['hang']);
  await session.close();
  expect(await outstanding).toEqual(inDoubt('connection-lost', 'gone'));
  expect(await session.execute(0, ['a'])).toMatchObject({ code: 'connection-refused', inDoubt: false });
  expect(opened).toBe(1);
});

test('the first connection must open', async () => {
  await server.close();
  await expect(openSession()).rejects.toThrow('ECONNREFUSED');
});
