import { expect, test } from 'vitest';
import { ZodError } from 'zod';
import workload, {
  defaultParameters,
  parseTransferParameters,
  type TransferParameters,
} from '../src/index.ts';
import { Permutation } from '../src/permutation.ts';

function operations(parameters: Partial<TransferParameters>, session: number, count: number): string[] {
  const stream = workload.createStream(
    parseTransferParameters({ ...defaultParameters, ...parameters }),
    session,
  );
  const operation = workload.createOperation();
  return Array.from({ length: count }, () => {
    stream.next(operation);
    return `${operation.source} ${operation.target} ${operation.amount}`;
  });
}

test('a session’s operations do not depend on what other sessions do', () => {
  const parameters = parseTransferParameters(defaultParameters);
  const streams = [workload.createStream(parameters, 0), workload.createStream(parameters, 1)];
  const operation = workload.createOperation();
  const interleaved: string[][] = [[], []];
  for (let index = 0; index < 300; index += 1) {
    // Uneven turns, as completions have them.
    const session = index % 3 === 0 ? 1 : 0;
    streams[session]?.next(operation);
    interleaved[session]?.push(`${operation.source} ${operation.target} ${operation.amount}`);
  }
  expect(interleaved).toEqual([operations({}, 0, 200), operations({}, 1, 100)]);
  expect(operations({}, 0, 20)).not.toEqual(operations({}, 1, 20));
  expect(operations({}, 0, 20)).not.toEqual(operations({ seed: '43' }, 0, 20));
});

test.each([0, 8, 32])('alpha %d: source and target differ in a million operations', (alpha) => {
  for (const accounts of [2, 100_000]) {
    const stream = workload.createStream(
      parseTransferParameters({ ...defaultParameters, accounts, alpha }),
      0,
    );
    const operation = workload.createOperation();
    let same = 0;
    let outside = 0;
    for (let index = 0; index < 1_000_000; index += 1) {
      stream.next(operation);
      if (operation.source === operation.target) same += 1;
      if (operation.source >= accounts || operation.target >= accounts) outside += 1;
    }
    expect({ same, outside }).toEqual({ same: 0, outside: 0 });
  }
});

test('amounts are uniform in 1 … amountMax', () => {
  const stream = workload.createStream(parseTransferParameters({ ...defaultParameters, amountMax: 7 }), 0);
  const operation = workload.createOperation();
  const counts = new Map<bigint, number>();
  for (let index = 0; index < 70_000; index += 1) {
    stream.next(operation);
    counts.set(operation.amount, (counts.get(operation.amount) ?? 0) + 1);
  }
  expect(new Set(counts.keys())).toEqual(new Set([1n, 2n, 3n, 4n, 5n, 6n, 7n]));
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test.each([2, 3, 4, 5, 17, 100, 1000, 4096, 4097, 100_000, 100_001, 1_048_577])(
  'scrambling %i accounts is a bijection',
  (size) => {
    const permutation = new Permutation(42n, size);
    const seen = new Uint8Array(size);
    for (let index = 0; index < size; index += 1) seen[permutation.apply(index) >>> 0] = 1;
    expect(seen.indexOf(0)).toBe(-1);
  },
);

test('scrambling is another one for another seed, and moves hot ranks apart', () => {
  const size = 100_000;
  const hot = (seed: bigint) => {
    const permutation = new Permutation(seed, size);
    return Array.from({ length: 100 }, (_, index) => permutation.apply(index) >>> 0);
  };
  expect(hot(1n)).not.toEqual(hot(2n));
  for (const seed of [0n, 1n, 42n, 4711n]) {
    const ids = hot(seed);
    // A tenth of the id space holds about 10 of 100 ids; neighbouring ranks are seldom close.
    const perTenth = Array.from({ length: 10 }, (_, tenth) =>
      ids.filter((id) => Math.floor(id / 10_000) === tenth),
    );
    for (const tenth of perTenth) expect(tenth.length).toBeLessThan(25);
    const close = ids.filter((id, index) => index > 0 && Math.abs(id - (ids[index - 1] ?? 0)) < 200);
    expect(close.length).toBeLessThan(5);
  }
});

test.each([
  ['alpha', 33],
  ['alpha', -0.1],
  ['accounts', 1],
  ['accounts', 2 ** 32 + 1],
  ['seed', '18446744073709551616'],
  ['seed', '-1'],
  ['initialBalance', '9223372036854775808'],
  ['amountMax', 0],
  ['scramble', 'yes'],
  ['skew', 1],
])('refuses %s = %s and names it', (name, value) => {
  const parse = () => workload.parseParameters({ ...defaultParameters, [name]: value });
  expect(parse).toThrow(ZodError);
  expect(parse).toThrow(name);
});

test('says why an alpha beyond 32 is refused', () => {
  expect(() => parseTransferParameters({ ...defaultParameters, alpha: 40 })).toThrow(/only one source/);
});
