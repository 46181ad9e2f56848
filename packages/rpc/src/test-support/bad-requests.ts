import type { RawRequest } from './raw-exchange.ts';

const good = { source: 1, target: 2, amount: '5' };

const wrongValues: readonly [unknown, ...unknown[]] = [
  null,
  true,
  '',
  '1',
  -1,
  1.5,
  4_294_967_296,
  1e300,
  [],
  {},
  [1],
  '1; DROP TABLE accounts',
  "1' OR '1'='1",
  '0x10',
  '١',
  'NaN',
];

const wrongAmounts: readonly [unknown, ...unknown[]] = [
  5,
  -5,
  0,
  null,
  true,
  [],
  {},
  ['5'],
  '',
  ' 5',
  '5 ',
  '+5',
  '5.0',
  '5e3',
  '0x5',
  '5n',
  '--5',
  'Infinity',
  '9'.repeat(41),
  '9223372036854775808',
  '-9223372036854775809',
  '9'.repeat(40),
  "5'; UPDATE accounts SET balance = 0; --",
  '5); DELETE FROM accounts; --',
  '$1',
  '${5}',
  '5\u0000',
  '\ud800',
];

/** Amounts and accounts that are well formed and that a business rule declines. */
const declinable = [
  { ...good, amount: '0' },
  { ...good, amount: '-0' },
  { ...good, amount: '-1' },
  { ...good, amount: '-9223372036854775808' },
  { ...good, target: 1 },
  { ...good, source: 4_294_967_295 },
  { ...good, amount: '9223372036854775807' },
];

/** A body that no server may apply, as its bytes. */
function badBody(random: Random): Buffer {
  const text = JSON.stringify(good);
  switch (random.below(9)) {
    case 0:
      return Buffer.from(JSON.stringify({ ...good, source: random.pick(wrongValues) }));
    case 1:
      return Buffer.from(JSON.stringify({ ...good, target: random.pick(wrongValues) }));
    case 2:
      return Buffer.from(JSON.stringify({ ...good, amount: random.pick(wrongAmounts) }));
    case 3:
      return Buffer.from(text.slice(0, random.below(text.length)));
    case 4:
      return Buffer.from(JSON.stringify({ ...good, [random.pick(['extra', 'Amount', 'id'])]: 1 }));
    case 5:
      return random.bytes(1 + random.below(200));
    case 6:
      return Buffer.from(`{"__proto__":{"amount":"5"},${text.slice(1)}`);
    case 7:
      return Buffer.from(random.pick(['null', '[]', '5', '"5"', '[' + text + ']', `${text}${text}`, '{}']));
    default:
      return Buffer.from(JSON.stringify(declinable[random.below(declinable.length)]));
  }
}

/** A well-framed request that must be answered with a typed refusal, the connection kept. */
export function badRequest(random: Random): Buffer {
  const body = badBody(random);
  const contentType = random.pick([
    'application/json',
    'application/json',
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    '',
    ';;;',
  ]);
  const [method, path] = random.pick<readonly [string, string]>([
    ['POST', '/transfer'],
    ['POST', '/transfer'],
    ['POST', '/transfer'],
    ['POST', '/transfer'],
    ['POST', '/transfer?source=1'],
    ['PUT', '/transfer'],
    ['PATCH', '/transfer'],
    ['DELETE', '/transfer'],
    ['POST', '/Transfer'],
    ['POST', '/transfer/../transfer'],
    ['POST', '/%'],
    ['POST', '/backend'],
    ['POST', '/recycle'],
  ]);
  return request(method, path, body, contentType === '' ? [] : [`content-type: ${contentType}`]);
}

/** Bytes that break the framing, or pass its limits: answered once or not at all, and closed. */
export function badFrame(random: Random): RawRequest {
  const body = Buffer.from(JSON.stringify(good));
  const cut = (bytes: Buffer) => bytes.subarray(0, 1 + random.below(bytes.length - 1));
  const whole = request('POST', '/transfer', body, ['content-type: application/json']);
  const declinedFirst = request('POST', '/transfer', Buffer.from(JSON.stringify(declinable[0])), [
    'content-type: application/json',
  ]);
  const head = 'POST /transfer HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const closing = (bytes: Buffer | string): RawRequest => ({
    bytes: Buffer.from(bytes),
    replies: Infinity,
    after: 'half-close',
  });
  switch (random.below(10)) {
    case 0:
      return closing(random.bytes(1 + random.below(400)));
    case 1:
      return closing(cut(whole));
    case 2:
      return { bytes: cut(whole), replies: Infinity, after: 'destroy' };
    case 3:
      return closing(Buffer.concat([declinedFirst, random.bytes(50)]));
    case 4:
      return closing(`${head}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1`);
    case 5:
      return closing(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n${body.toString()}\r\n0\r\n\r\n`);
    case 6:
      return closing(`${head}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n`);
    case 7:
      return closing(`${head}x: ${'y'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\n{}`);
    case 8:
      return closing(
        request('POST', '/transfer', Buffer.alloc(20_000, '{'), ['content-type: application/json']),
      );
    default:
      return closing(`POST /transfer HTTP/9.9\r\n\r\n${'\u0000'.repeat(random.below(100))}`);
  }
}

/** A body of `bytes` bytes, announced or in chunks. */
export function hugeRequest(random: Random, bytes: number): RawRequest {
  const body = Buffer.alloc(bytes, '{"source":1,"target":2,"amount":"5","x":"');
  const announced = random.below(2) === 0;
  const chunked = Buffer.concat([
    Buffer.from(
      `POST /transfer HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
        `transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`,
    ),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const plain = request('POST', '/transfer', body, ['content-type: application/json']);
  return { bytes: announced ? plain : chunked, replies: 1, after: 'keep' };
}

function request(method: string, path: string, body: Buffer, headers: readonly string[]): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    ...headers,
    `content-length: ${body.length}`,
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), body]);
}

/** A seeded source of whole numbers, so that a failure can be repeated (mulberry32, public domain). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
