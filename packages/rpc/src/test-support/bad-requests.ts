import type { ArgumentShape, ColumnShape, OperationShape } from '@fair-bench/contract';
import { bodyBytesMax } from '../codec/limits.ts';
import type { RawRequest } from './raw-exchange.ts';

type Body = Readonly<Record<string, unknown>>;

const wrongOfAnyType: readonly unknown[] = [null, {}, [[]], { length: 1 }, 1e300, -1.5];

const wrongByType: Readonly<Record<ColumnShape['type']['kind'], readonly unknown[]>> = {
  key: [true, '', '1', -1, 1.5, 4_294_967_296, [], [1], '0x10', '١', 'NaN', "1' OR '1'='1"],
  int64: [
    5,
    -5,
    0,
    true,
    [],
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
    "5'; DELETE FROM x; --",
    '$1',
    '${5}',
    '5\u0000',
    '\ud800',
  ],
  bool: [0, 1, 'true', [], ''],
  text: [0, 5, true, [], ['a'], 'é', '\ud800', 'x'.repeat(70_000)],
  bytes: [0, 5, true, [], 'A', '@@@@', 'x'.repeat(90_000), 'AA='],
};

/** A valid request's body: one record in a list. */
export function goodBody({ arguments: all }: OperationShape): Body {
  return Object.fromEntries(all.map((argument) => [argument.name, goodValue(argument)]));
}

function goodValue(argument: ArgumentShape): unknown {
  if (argument.kind === 'scalar') return goodScalar(argument.type);
  return [Object.fromEntries(argument.fields.map(({ name, type }) => [name, goodScalar(type)]))];
}

function goodScalar({ kind }: ColumnShape['type']): unknown {
  if (kind === 'key') return 1;
  if (kind === 'int64') return '5';
  if (kind === 'bool') return true;
  return '';
}

function wrongValue(random: Random, argument: ArgumentShape): unknown {
  if (random.below(4) === 0) return random.of(wrongOfAnyType);
  if (argument.kind === 'scalar') return random.of(wrongByType[argument.type.kind]);
  const field = random.of(argument.fields);
  if (field === undefined || random.below(2) === 0) return random.of([true, 5, 'x', [5], [{}], [[]], {}]);
  const record = Object.fromEntries(argument.fields.map(({ name, type }) => [name, goodScalar(type)]));
  return [{ ...record, [field.name]: random.of(wrongByType[field.type.kind]) }];
}

/** A body that no server may apply, as bytes. */
function badBody(random: Random, operation: OperationShape): Buffer {
  const good = goodBody(operation);
  const text = JSON.stringify(good);
  const argument = random.of(operation.arguments);
  switch (random.below(8)) {
    case 0: {
      const { [argument?.name ?? '']: _left, ...rest } = good;
      return Buffer.from(JSON.stringify(argument === undefined ? { extra: 1 } : rest));
    }
    case 1:
      return Buffer.from(text.slice(0, random.below(text.length)));
    case 2:
      return Buffer.from(JSON.stringify({ ...good, [random.pick(['extra', 'Extra', '__extra'])]: 1 }));
    case 3:
      return random.bytes(1 + random.below(200));
    case 4:
      return Buffer.from(`{"__proto__":{"extra":"5"},${text.slice(1)}`);
    case 5:
      return Buffer.from(random.pick(['null', '[]', '5', '"5"', `[${text}]`, `${text}${text}`, '']));
    default:
      if (argument === undefined) return Buffer.from('{"extra":1}');
      return Buffer.from(JSON.stringify({ ...good, [argument.name]: wrongValue(random, argument) }));
  }
}

/** A well-framed request that must be answered with a typed refusal, the connection kept. */
export function badRequest(random: Random, operations: readonly OperationShape[]): Buffer {
  const operation = random.of(operations);
  if (operation === undefined) throw new Error('the workload has no operation');
  const path = `/${operation.name}`;
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
  const [method, target] = random.pick<readonly [string, string]>([
    ['POST', path],
    ['POST', path],
    ['POST', path],
    ['POST', path],
    ['POST', `${path}?x=1`],
    ['PUT', path],
    ['PATCH', path],
    ['DELETE', path],
    ['POST', path.toUpperCase()],
    ['POST', `${path}/..${path}`],
    ['POST', '/%'],
    ['POST', '/tables'],
    ['POST', '/recycle'],
  ]);
  const headers = contentType === '' ? [] : [`content-type: ${contentType}`];
  return request(method, target, badBody(random, operation), headers);
}

/** Bytes with broken or too large framing: answered at most once, and closed. */
export function badFrame(random: Random, operations: readonly OperationShape[]): RawRequest {
  const operation = random.of(operations);
  if (operation === undefined) throw new Error('the workload has no operation');
  const path = `/${operation.name}`;
  const json = ['content-type: application/json'];
  const whole = request('POST', path, badBody(random, operation), json);
  // Never a complete valid request.
  const cut = whole.subarray(0, 1 + random.below(whole.length - 1));
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  const closing = (bytes: Buffer | string): RawRequest => ({
    bytes: Buffer.from(bytes),
    replies: Infinity,
    after: 'half-close',
  });
  switch (random.below(10)) {
    case 0:
      return closing(random.bytes(1 + random.below(400)));
    case 1:
      return closing(cut);
    case 2:
      return { bytes: cut, replies: Infinity, after: 'destroy' };
    case 3:
      return closing(Buffer.concat([whole, random.bytes(50)]));
    case 4:
      return closing(`${head}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1`);
    case 5:
      return closing(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`);
    case 6:
      return closing(`${head}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n`);
    case 7:
      return closing(`${head}x: ${'y'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\n{}`);
    case 8:
      return closing(request('POST', path, Buffer.alloc(bodyBytesMax(operation.arguments) + 1, '{'), json));
    default:
      return closing(`POST ${path} HTTP/9.9\r\n\r\n${'\u0000'.repeat(random.below(100))}`);
  }
}

/** A body of `bytes` bytes, announced or in chunks. */
export function hugeRequest(random: Random, { name }: OperationShape, bytes: number): RawRequest {
  const body = Buffer.alloc(bytes, '{"x":"');
  const announced = random.below(2) === 0;
  const chunked = Buffer.concat([
    Buffer.from(
      `POST /${name} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n` +
        `transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n`,
    ),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  const complete = request('POST', `/${name}`, body, ['content-type: application/json']);
  return { bytes: announced ? complete : chunked, replies: 1, after: 'keep' };
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

  /** A whole number from 0 up to, but excluding, `end`. */
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

  of<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
