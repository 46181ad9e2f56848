import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OperationOutcome, retriesMax } from '@fair-bench/contract';
import { timedSessionConfig } from '../src/connection.ts';
import { PooledBackend } from '@fair-bench/rpc/server';
import { preparedDatabase } from '../src/pooled.ts';
import { connectPrepared } from '../src/prepared-session.ts';
import {
  calling,
  moving,
  nameOf,
  pages,
  prepared,
  readBoxes,
  runLoad,
  seedBoxes,
  soon,
  startServer,
  sum,
  type TestServer,
} from './support/provision.ts';

const count = 1_000;
const items = 1_000n;
const int64Max = 9_223_372_036_854_775_807n;
/** What a simple query must quote is in it, and what looks like a parameter or a comment. */
const quotes = String.raw`it's \ \' "quoted" $1 $$ -- /* `;
const label = [7, -3n, quotes.padEnd(200, 'x'), new Uint8Array([0, 255, 10]), true];
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

beforeEach(async () => {
  await seedBoxes(server.service, count, items);
});

afterAll(async () => {
  await server.close();
});

test('loading twice equals loading once, whatever the table contained', async () => {
  await seedBoxes(server.service, 10, 7n);
  await seedBoxes(server.service, count, items);
  const found = await readBoxes(server.service);
  expect([found.size, found.get(0), found.get(count - 1), sum(found)]).toEqual([
    count,
    items,
    items,
    items * BigInt(count),
  ]);
});

test('rows of every type are read as they were loaded, also by their keys', async () => {
  const { tables } = server.service;
  const other = [4_294_967_295, int64Max, '', new Uint8Array(), false];
  await tables.clear(1, soon());
  await tables.load(1, pages([label, other]), soon());
  const scanned = (await Array.fromAsync(tables.scan(1, soon()))).flat();
  expect(scanned.map(plain)).toEqual([label, other].map(plain));
  const read = await tables.read(
    1,
    [
      [4_294_967_295, int64Max],
      [7, 3n],
    ],
    soon(),
  );
  expect(read.map(plain)).toEqual([plain(other)]);
});

/** Bytes as an array of numbers, whatever their class. */
function plain(row: readonly unknown[]): unknown[] {
  return row.map((value) => (value instanceof Uint8Array ? [...value] : value));
}

const sendings = (['stock', 'tuned'] as const).flatMap((codec) =>
  (['prepared', 'extended', 'simple'] as const).map((protocol) => [codec, protocol] as const),
);

describe.each(sendings)('by the %s codec, %s', (codec, protocol) => {
  const open = async () => await server.session('fair-bench test', { codec, protocol });

  test.each([
    [[1, 2, 1_000n], 'applied'],
    [[2, 1, 1_000n], 'applied'],
    [[1, 2, 1_001n], 'too-few'],
    [[1, count, 1n], 'missing'],
    [[4_294_967_295, 1, 1n], 'missing'],
    [[1, 2, -int64Max - 1n], 'invalid-request'],
    [[1, 2, int64Max + 1n], 'invalid-request'],
    [[1, 2, -int64Max - 2n], 'invalid-request'],
  ] as const)('%o is %s, with its effect', async ([source, target, amount], expected) => {
    const session = await open();
    try {
      expect(nameOf(await session.execute(...moving(source, target, amount)))).toBe(expected);
      // The connection still works.
      expect(nameOf(await session.execute(...moving(10, 11, 0n)))).toBe('applied');
      const changed = [...(await readBoxes(server.service))].filter(([, found]) => found !== items);
      expect(new Map(changed)).toEqual(
        new Map(
          expected === 'applied'
            ? [
                [source, items - amount],
                [target, items + amount],
              ]
            : [],
        ),
      );
    } finally {
      await session.close();
    }
  });

  test('arguments and rows of every type arrive as they were sent', async () => {
    const session = await open();
    try {
      await server.service.tables.clear(1, soon());
      expect(await session.execute(...calling('stick', label))).toEqual({
        kind: 'applied',
        reply: null,
        retries: 0,
      });
      const outcome = await session.execute(...calling('labels', [7]));
      const rows = outcome.kind === 'applied' && outcome.reply?.kind === 'rows' ? outcome.reply.rows : [];
      expect(rows.map(plain)).toEqual([plain(label)]);
      expect(await session.execute(...calling('labels', [8]))).toMatchObject({
        reply: { kind: 'rows', rows: [] },
      });
      // A key that is there.
      expect(nameOf(await session.execute(...calling('stick', label)))).toBe('server-error');
    } finally {
      await session.close();
    }
  });

  test('a list is one array per field, of any length, and fields are returned with a decline', async () => {
    const session = await open();
    const take = async (ids: number[], counts: bigint[]) =>
      await session.execute(...calling('take', [{ length: ids.length, fields: [ids, counts] }]));
    try {
      expect(await take([1, 2], [3n, 4n])).toMatchObject({ reply: { kind: 'fields', fields: [7n, false] } });
      expect(await take([], [])).toMatchObject({ reply: { kind: 'fields', fields: [0n, true] } });
      expect(nameOf(await take([1, count], [1n, 1n]))).toBe('missing');
      const all = Array.from({ length: count }, (_, id) => id);
      expect(
        await take(
          all,
          all.map(() => 1n),
        ),
      ).toMatchObject({ reply: { fields: [BigInt(count), false] } });
      const found = await readBoxes(server.service);
      expect([found.get(0), found.get(1), found.get(2)]).toEqual([items - 1n, items - 4n, items - 5n]);
    } finally {
      await session.close();
    }
  });

  test('an unknown reason leaves a doubt and is named', async () => {
    const session = await open();
    try {
      expect(nameOf(await session.execute(...calling('whim', [0n])))).toBe('applied');
      expect(await session.execute(...calling('whim', [1n]))).toMatchObject({
        code: 'protocol-error',
        inDoubt: true,
        message: expect.stringContaining('whim returned because'),
      });
    } finally {
      await session.close();
    }
  });

  test('a session with several outstanding answers each with its own outcome', async () => {
    const session = await open();
    const calls = [moving(count, 0, 1n), moving(1, 2, 2_000n), moving(3, 4, 1n), calling('take', [none])];
    const expected = ['missing', 'too-few', 'applied', 'applied'];
    try {
      const outcomes = await Promise.all(
        Array.from(
          { length: 64 },
          async (_, index) => await session.execute(...(calls[index % 4] ?? moving(0, 1, 1n))),
        ),
      );
      expect(outcomes.map(nameOf)).toEqual(Array.from({ length: 64 }, (_, index) => expected[index % 4]));
    } finally {
      await session.close();
    }
  });
});

const none = { length: 0, fields: [[], []] };

test.each(['stock', 'tuned'] as const)(
  'by the %s codec, opposite moves of 50 sessions between two boxes neither deadlock nor lose items',
  async (codec) => {
    const open = async () => await server.session('fair-bench test', { codec });
    const sessions = await Promise.all(Array.from({ length: 50 }, async () => await open()));
    try {
      const counts = await runLoad(sessions, 20, (session) => moving(session % 2, 1 - (session % 2), 1n));
      expect(counts).toEqual({ applied: 1_000 });
    } finally {
      await Promise.all(sessions.map(async (session) => await session.close()));
    }
    const found = await readBoxes(server.service);
    expect([found.get(0), found.get(1)]).toEqual([items, items]);
  },
);

test('under serializable sessions send again what was undone, count it, and what was applied is exact', async () => {
  const { url } = server.service;
  const isolated = `${url}${url.includes('?') ? '&' : '?'}options=-c%20default_transaction_isolation%3Dserializable`;
  const sessions = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await connectPrepared(timedSessionConfig(isolated, 'fair-bench test'), prepared, soon()),
    ),
  );
  const outcomes: OperationOutcome[] = [];
  try {
    await Promise.all(
      sessions.map(async (session) => {
        for (let sent = 0; sent < 20; sent += 1) outcomes.push(await session.execute(...moving(0, 1, 1n)));
      }),
    );
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
  }
  const applied = outcomes.filter(({ kind }) => kind === 'applied');
  expect(applied.some(({ retries }) => retries > 0)).toBe(true);
  // Given up only after every attempt.
  for (const { kind, retries } of outcomes) expect(kind === 'applied' || retries === retriesMax).toBe(true);
  const found = await readBoxes(server.service);
  const moved = BigInt(applied.length);
  expect([found.get(0), found.get(1)]).toEqual([items - moved, items + moved]);
});

test('in a pool of an application server a conflict is a serialization failure, and what was applied is exact', async () => {
  const config = {
    ...timedSessionConfig(server.service.url, 'fair-bench test'),
    options: '-c default_transaction_isolation=serializable',
  };
  const pool = await PooledBackend.open(preparedDatabase(config, prepared), 20);
  let applied = 0n;
  const others = new Set<string>();
  try {
    expect((await pool.settings())['transaction_isolation']).toBe('serializable');
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const outcome = await pool.execute(...moving(0, 1, 1n));
        if (outcome.kind === 'applied') applied += 1n;
        else others.add(nameOf(outcome));
      }),
    );
  } finally {
    await pool.close();
  }
  expect([...others].filter((name) => name !== 'serialization-failure')).toEqual([]);
  expect(applied).toBeGreaterThan(0n);
  const found = await readBoxes(server.service);
  expect([found.get(0), found.get(1)]).toEqual([items - applied, items + applied]);
});
