import { createHash } from 'node:crypto';
import type { Transfer } from '@fair-bench/contract';
import { exp, expm1OverX, log, log1pOverX } from '../src/elementary.ts';
import { parseTransferParameters, type TransferParameters } from '../src/parameters.ts';
import { Permutation } from '../src/permutation.ts';
import { seriesExp, seriesLog } from '../src/series.ts';
import { purposes, seedWords } from '../src/splitmix64.ts';
import { createTransferStream } from '../src/transfer-stream.ts';
import { uniformOf, Xoshiro128 } from '../src/xoshiro128.ts';

/** Where the golden vectors are kept. */
export const goldenPath = new URL('fixtures/golden-vectors.json', import.meta.url);

const seeds = ['0', '42', '18446744073709551615'];
const sessions = [0, 1, 49, 4_294_967_295];

/** Everything that another implementation must reproduce, as JSON. Doubles stand as the hex of their bits. */
export function buildGoldenVectors() {
  return {
    seedWords: seeds.flatMap((seed) =>
      sessions.map((session) => ({
        seed,
        session,
        operations: [...seedWords(BigInt(seed), session, purposes.operations, 4)],
        permutation: [...seedWords(BigInt(seed), session, purposes.permutation, 8)],
      })),
    ),
    generator: generatorVectors(),
    elementary: elementaryVectors(),
    permutation: [2, 3, 5, 100, 100_000, 100_001, 10_000_000, 2 ** 31, 2 ** 31 + 1, 2 ** 32].map((size) => {
      const permutation = new Permutation(42n, size);
      const inputs = [0, 1, 2, 3, 10, 97, 65_537, size - 2, size - 1].filter((input) => input < size);
      return { seed: '42', size, inputs, outputs: inputs.map((input) => permutation.apply(input) >>> 0) };
    }),
    operations: operationCases.map((each) => ({ ...each, operations: firstOperations(each, 64) })),
    digests: digestCases.map((each) => ({ ...each, operations: 100_000, sha256: digest(each, 100_000) })),
  };
}

interface StreamCase {
  readonly parameters: TransferParameters;
  readonly session: number;
}

const operationCases: readonly StreamCase[] = [
  streamCase('42', 100_000, 0, true, 0),
  streamCase('42', 100_000, 0.5, true, 0),
  streamCase('42', 100_000, 0.5, true, 1),
  streamCase('42', 100_000, 0.5, false, 0),
  streamCase('42', 100_000, 0.99, true, 3),
  streamCase('42', 100_000, 0.9999, false, 3),
  streamCase('42', 100_000, 1, true, 0),
  streamCase('42', 100_000, 1.5, true, 0),
  streamCase('7', 100_001, 1.5, false, 49),
  streamCase('18446744073709551615', 10_000_000, 1.5, true, 0),
  streamCase('42', 10_000_000, 2, true, 0),
  streamCase('42', 4_294_967_296, 0.5, true, 0),
  streamCase('42', 4_294_967_296, 1, false, 0),
  streamCase('42', 100, 8, false, 0),
  streamCase('42', 100_000, 32, true, 0),
  streamCase('0', 2, 0, true, 0),
  streamCase('0', 2, 1.5, false, 0),
  streamCase('0', 3, 32, false, 0, 2_097_152),
];

const digestCases: readonly StreamCase[] = [0, 0.5, 0.99, 0.9999, 1, 1.5, 2, 4, 8, 32]
  .flatMap((alpha) => [
    streamCase('42', 100_000, alpha, true, 0),
    streamCase('42', 10_000_000, alpha, false, 7),
  ])
  .concat([streamCase('42', 4_294_967_296, 0.5, true, 0), streamCase('1', 2, 0.5, true, 0, 1)]);

function streamCase(
  seed: string,
  accounts: number,
  alpha: number,
  scramble: boolean,
  session: number,
  amountMax = 1000,
): StreamCase {
  const initialBalance = '1000000000';
  return {
    parameters: parseTransferParameters({ seed, accounts, initialBalance, alpha, scramble, amountMax }),
    session,
  };
}

function generatorVectors() {
  const state = seedWords(42n, 0, purposes.operations, 4);
  const raw = new Xoshiro128(state);
  const paired = new Xoshiro128(state);
  return {
    state: [...state],
    outputs: Array.from({ length: 16 }, () => raw.nextInt32() >>> 0),
    uniforms: Array.from({ length: 8 }, () => {
      const high = paired.nextInt32() >>> 5;
      return bitsOf(uniformOf(high, paired.nextInt32() >>> 6));
    }),
  };
}

function elementaryVectors() {
  const positive = [2 ** -53, 1e-9, 0.001, 0.5, 0.7071, 0.99, 0.999, 1, 1.5, 2.5, 10, 12_345.678, 2 ** 32];
  const any = [-708.5, -700, -31.5, -1, -0.001, -1e-9, 0, 1e-9, 0.001, 0.3, 1, 2.75, 22.18, 300];
  const aboveMinusOne = [-0.999, -0.5, -0.001, -1e-5, 1e-5, 0.0009, 0.001, 0.25, 3, 65_536];
  const table = (inputs: readonly number[], compute: (x: number) => number) =>
    inputs.map((x) => [bitsOf(x), bitsOf(compute(x))]);
  return {
    seriesLog: table(positive, seriesLog),
    seriesExp: table(any.slice(1), seriesExp),
    log: table(positive, log),
    exp: table(any, exp),
    log1pOverX: table(aboveMinusOne, log1pOverX),
    expm1OverX: table(any.slice(2), expm1OverX),
  };
}

function firstOperations({ parameters, session }: StreamCase, count: number) {
  const stream = createTransferStream(parameters, session);
  const operation: Transfer = { source: 0, target: 0, amount: 0n };
  return Array.from({ length: count }, () => {
    stream.next(operation);
    return [operation.source, operation.target, Number(operation.amount)];
  });
}

function digest({ parameters, session }: StreamCase, count: number): string {
  const stream = createTransferStream(parameters, session);
  const operation: Transfer = { source: 0, target: 0, amount: 0n };
  const bytes = Buffer.alloc(count * 16);
  for (let offset = 0; offset < bytes.length; offset += 16) {
    stream.next(operation);
    bytes.writeUInt32LE(operation.source, offset);
    bytes.writeUInt32LE(operation.target, offset + 4);
    bytes.writeBigInt64LE(operation.amount, offset + 8);
  }
  return createHash('sha256').update(bytes).digest('hex');
}

function bitsOf(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}
