import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPreparedPool } from '../src/prepared-pool.ts';
import { timedSessionConfig } from '../src/connection.ts';
import {
  type TestServer,
  nameOf,
  prepared,
  readBalances,
  runLoad,
  soon,
  startServer,
  sum,
} from './support/provision.ts';

const accounts = 1_000;
const initialBalance = 1_000n;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

beforeEach(async () => {
  await server.service.transfer.seed({ accounts, initialBalance }, soon());
});

afterAll(async () => {
  await server.close();
});

test('seeding twice leaves the same as seeding once, whatever was there before', async () => {
  await server.service.transfer.seed({ accounts: 10, initialBalance: 7n }, soon());
  await server.service.transfer.seed({ accounts, initialBalance }, soon());
  await server.service.transfer.seed({ accounts, initialBalance }, soon());
  const balances = await readBalances(server.service);
  expect(balances.size).toBe(accounts);
  expect([balances.get(0), balances.get(accounts - 1), sum(balances)]).toEqual([
    initialBalance,
    initialBalance,
    initialBalance * BigInt(accounts),
  ]);
});

const int64Max = 9_223_372_036_854_775_807n;

test.each([
  [{ source: 1, target: 2, amount: 1_000n }, 'applied'],
  [{ source: 2, target: 1, amount: 1_000n }, 'applied'],
  [{ source: 1, target: 2, amount: 1_001n }, 'insufficient-funds'],
  [{ source: 2, target: 1, amount: 1_001n }, 'insufficient-funds'],
  [{ source: 1, target: 2, amount: int64Max }, 'insufficient-funds'],
  [{ source: 2, target: 1, amount: int64Max }, 'insufficient-funds'],
  [{ source: 1, target: accounts, amount: 1n }, 'missing-account'],
  [{ source: accounts, target: 1, amount: 1n }, 'missing-account'],
  [{ source: 4_294_967_295, target: 1, amount: 1n }, 'missing-account'],
  [{ source: 5, target: 5, amount: 1n }, 'same-account'],
  [{ source: 1, target: 2, amount: 0n }, 'non-positive-amount'],
  [{ source: 1, target: 2, amount: -1n }, 'non-positive-amount'],
  [{ source: 1, target: 2, amount: -int64Max - 1n }, 'non-positive-amount'],
  [{ source: 1, target: 2, amount: int64Max + 1n }, 'invalid-request'],
  [{ source: 1, target: 2, amount: -int64Max - 2n }, 'invalid-request'],
])('%o is %s, and moves what it says', async (transfer, expected) => {
  const session = await server.session();
  try {
    expect(nameOf(await session.execute(transfer))).toBe(expected);
    const changed = [...(await readBalances(server.service))].filter(
      ([, balance]) => balance !== initialBalance,
    );
    expect(new Map(changed)).toEqual(
      expected === 'applied'
        ? new Map([
            [transfer.source, initialBalance - transfer.amount],
            [transfer.target, initialBalance + transfer.amount],
          ])
        : new Map(),
    );
  } finally {
    await session.close();
  }
});

test.each([
  [1, 2],
  [2, 1],
])('a balance beyond 64 bits is refused and changes nothing: %i to %i', async (source, target) => {
  const { service } = server;
  const client = new Client({ connectionString: service.url });
  await client.connect();
  await client.query('UPDATE fair_bench.account SET balance = $1 WHERE id = $2', [int64Max, target]);
  await client.end();
  const session = await server.session();
  try {
    expect(nameOf(await session.execute({ source, target, amount: 1n }))).toBe('invalid-request');
    // The connection is good for the next.
    expect(nameOf(await session.execute({ source: 10, target: 11, amount: 1n }))).toBe('applied');
  } finally {
    await session.close();
  }
  const balances = await readBalances(service);
  expect([balances.get(source), balances.get(target)]).toEqual([initialBalance, int64Max]);
});

test('opposite transfers of 50 sessions between two accounts neither deadlock nor lose anything', async () => {
  const sessions = await Promise.all(Array.from({ length: 50 }, async () => await server.session()));
  try {
    const counts = await runLoad(sessions, 20, (session) => ({
      source: session % 2,
      target: 1 - (session % 2),
      amount: 1n,
    }));
    expect(counts).toEqual({ applied: 1_000 });
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
  }
  const balances = await readBalances(server.service);
  expect([balances.get(0), balances.get(1)]).toEqual([initialBalance, initialBalance]);
});

test('a session with several outstanding answers each with its own outcome', async () => {
  const session = await server.session();
  try {
    const outcomes = await Promise.all(
      Array.from({ length: 64 }, async (_, index) =>
        nameOf(
          await session.execute({
            source: index,
            target: index % 3 === 0 ? index : index + 100,
            amount: index % 3 === 1 ? 2_000n : 1n,
          }),
        ),
      ),
    );
    const expected = ['same-account', 'insufficient-funds', 'applied'];
    expect(outcomes).toEqual(Array.from({ length: 64 }, (_, index) => expected[index % 3]));
  } finally {
    await session.close();
  }
});

test('under serializable a conflict is a serialization failure, and what was applied is exact', async () => {
  const config = {
    ...timedSessionConfig(server.service.url, 'fair-bench test'),
    options: '-c default_transaction_isolation=serializable',
  };
  const pool = await createPreparedPool(config, prepared, 20, soon());
  let applied = 0n;
  const others = new Set<string>();
  try {
    expect((await pool.settings())['transaction_isolation']).toBe('serializable');
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const outcome = await pool.execute({ operation: 0, values: [0, 1, 1n] });
        if (outcome.kind === 'applied') applied += 1n;
        else others.add(nameOf(outcome));
      }),
    );
  } finally {
    await pool.close();
  }
  expect([...others].filter((name) => name !== 'serialization-failure')).toEqual([]);
  expect(applied).toBeGreaterThan(0n);
  const balances = await readBalances(server.service);
  expect([balances.get(0), balances.get(1)]).toEqual([initialBalance - applied, initialBalance + applied]);
});
