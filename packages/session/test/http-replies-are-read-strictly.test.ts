import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { HttpConnection } from '../src/index.ts';
import { HttpReplies } from '../src/http-replies.ts';

type Read = readonly { readonly status: number; readonly body: string }[];

/** What is read of chunks; null if they are refused. */
function read(chunks: readonly Buffer[]): Read | null {
  const replies: { status: number; body: string }[] = [];
  const reader = new HttpReplies((status, body) => replies.push({ status, body: body.toString('latin1') }));
  try {
    for (const chunk of chunks) {
      const reused = Buffer.from(chunk);
      reader.read(reused);
      reused.fill(0);
    }
    return replies;
  } catch {
    return null;
  }
}

const reply = (head: string, body: string) =>
  `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const chunked = (...lines: readonly string[]) =>
  ['HTTP/1.1 200 OK', 'Transfer-Encoding: Chunked', '', ...lines, ''].join('\r\n');
const applied = reply('200 OK\r\ncontent-type: application/json', '{"kind":"applied","retries":0}');

test('replies are read wherever they are cut', () => {
  const bytes = Buffer.from(
    applied +
      applied +
      reply('409 Conflict', 'x'.repeat(300)) +
      reply('200 ', '') +
      chunked('A', '0123456789', '1', '!', '0', '') +
      applied,
  );
  const whole = read([bytes]);
  expect(whole?.map(({ status, body }) => [status, body.length])).toEqual([
    [200, 30],
    [200, 30],
    [409, 300],
    [200, 0],
    [200, 11],
    [200, 30],
  ]);
  expect(whole?.[4]?.body).toBe('0123456789!');
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole);
  }
  expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

test.each([
  ['another version', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ['an interim status', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['no length', 'HTTP/1.1 200 OK\r\n\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n'],
  ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 0, 0\r\n\r\n'],
  ['a length with a sign', 'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\nx'],
  ['a length beyond the bound', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\nx'],
  [
    'a length of chunks',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n',
  ],
  ['another coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['a chunk longer than its size', chunked('2', 'abc', '0', '')],
  ['a size of a chunk with an extension', chunked('1;x=y', 'a', '0', '')],
  ['a size of a chunk without an end', chunked('0000000000000')],
  ['a trailer', chunked('0', 'x: y', '')],
  ['a compressed body', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 0\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n 2\r\n\r\nx'],
  ['a space before a colon', 'HTTP/1.1 200 OK\r\ncontent-length : 0\r\n\r\n'],
  ['a control character', 'HTTP/1.1 200 OK\r\nx: \u0000\r\ncontent-length: 0\r\n\r\n'],
  ['lines without a carriage return', 'HTTP/1.1 200 OK\ncontent-length: 0\r\n\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`],
])('%s is refused', (_, text) => {
  expect(read([Buffer.from(text, 'latin1')])).toBeNull();
  const bytes = Buffer.from(applied + text, 'latin1');
  const pieces = Array.from({ length: Math.ceil(bytes.length / 9) }, (_value, at) =>
    bytes.subarray(at * 9, at * 9 + 9),
  );
  expect(read(pieces)).toBeNull();
});

test('10,000 damaged replies are refused, or read as they stand, wherever they are cut', () => {
  let state = 20_261_122;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const good = Buffer.from(applied + applied, 'latin1');
  let refused = 0;
  for (let number = 0; number < 10_000; number += 1) {
    const bytes = Buffer.from(good);
    const at = below(bytes.length);
    bytes[at] = below(256);
    const kind = below(3);
    const damaged =
      kind === 0 ? bytes : Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + kind, bytes.length)]);
    const whole = read([damaged]);
    const cut = below(damaged.length);
    expect(read([damaged.subarray(0, cut), damaged.subarray(cut)])).toEqual(whole);
    if (whole === null) refused += 1;
    const text = damaged.toString('latin1');
    let end = 0;
    for (const { status, body } of whole ?? []) {
      const head = text.slice(end, text.indexOf('\r\n\r\n', end) + 4);
      expect(head.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
      expect(/\r\ncontent-length:[ \t]*(\d+)[ \t]*\r\n/i.exec(head)?.[1]).toMatch(
        new RegExp(`^0*${body.length}$`),
      );
      end += head.length;
      expect(text.slice(end, end + body.length)).toBe(body);
      end += body.length;
    }
  }
  expect(refused).toBeGreaterThan(3_000);
});

let server: Server | undefined;
afterEach(() => server?.close());

/** A double of a server: answers each request by `answer`. */
async function answering(answer: (socket: Socket, number: number) => void): Promise<string> {
  let number = 0;
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      for (const _ of chunk.toString().matchAll(/GET /g)) answer(socket, (number += 1));
    });
  });
  return await listening(server);
}

async function listening(created: Server): Promise<string> {
  await new Promise<void>((resolve) => created.listen(0, '127.0.0.1', resolve));
  const address = created.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

const ask = (connection: HttpConnection) =>
  new Promise<string>((resolve) => {
    connection.send('GET / HTTP/1.1\r\nhost: x\r\n\r\n', {
      replied: (status, body) => resolve(`${status} ${body.toString()}`),
      lost: (reason, wasWritten) => resolve(`${wasWritten ? 'in doubt' : 'not sent'}: ${reason}`),
    });
  });

test('replies belong to the oldest request, and a reply without a request ends the connection', async () => {
  const url = await answering((socket, number) => {
    socket.write(reply('200 OK', String(number)));
    if (number === 3) socket.write(reply('200 OK', 'more'));
  });
  const connection = await HttpConnection.open(url, AbortSignal.timeout(5_000));
  expect(await Promise.all([ask(connection), ask(connection)])).toEqual(['200 1', '200 2']);
  expect(await ask(connection)).toBe('200 3');
  await expect.poll(() => connection.usable).toBe(false);
  expect(await ask(connection)).toBe('not sent: a reply without a request');
  await connection.end();
});

test('an https URL is reached by TLS, and its certificate is checked', async ({ skip }) => {
  const folder = await mkdtemp(join(tmpdir(), 'fair-bench-tls-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout ${keyFile} -out ${certFile}`;
  await promisify(execFile)('openssl', words.split(' ')).catch(() => skip('needs openssl'));
  const cert = await readFile(certFile, 'utf8');
  server = createTlsServer({ key: await readFile(keyFile), cert }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.write(reply('200 OK', String(socket.servername))));
  });
  const port = new URL(await listening(server)).port;
  const open = async () => await HttpConnection.open(`https://localhost:${port}`, AbortSignal.timeout(5_000));
  await expect(open()).rejects.toThrow('self-signed certificate');
  setDefaultCACertificates([cert]);
  onTestFinished(() => setDefaultCACertificates(getCACertificates('bundled')));
  const connection = await open();
  expect(await ask(connection)).toBe('200 localhost');
  await connection.end();
});

test('what was not written when the connection ended was not sent', async () => {
  const url = await answering(() => undefined);
  const connection = await HttpConnection.open(url, AbortSignal.timeout(5_000));
  const written = ask(connection);
  await new Promise(setImmediate);
  const unwritten = ask(connection);
  await connection.end();
  expect(await Promise.all([written, unwritten])).toEqual([
    'in doubt: the connection was closed',
    'not sent: the connection was closed',
  ]);
});
