import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { changesSettingsAndBack } from './liars/changes-settings-and-back.ts';
import { commitsAsyncItself } from './liars/commits-async-itself.ts';
import { claimsDurability, replacesFunctions } from './liars/lying-deployments.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

const system = 'postgres-driver';
let bench: LiarBench;

beforeAll(async () => {
  bench = await LiarBench.open(system);
});
afterEach(() => configure('ALTER SYSTEM RESET ALL'));
afterAll(() => bench.close());

describe.each(['fsync', 'synchronous_commit'])('commits acknowledged with %s off', (setting) => {
  test('void the trial of a target that claims to be durable', async () => {
    await configure(`ALTER SYSTEM SET ${setting} = off`);
    const record = await bench.withoutClient(system, { controlPlane: claimsDurability });
    expect(verdictOf(record)).toMatch(
      /durable commits were claimed, but the (disk saw|database counted) \d+ flushes/,
    );
    expect(record.audit?.status).toBe('passed');
  });

  test('have a number if the target reports them', async () => {
    await configure(`ALTER SYSTEM SET ${setting} = off`);
    const record = await bench.withoutClient(system);
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({ factsAfter: { durability: 'async', settings: { [setting]: 'off' } } });
  });
});

test('settings changed and changed back while the load runs void the trial', async () => {
  const change = async () => await configure('ALTER SYSTEM SET fsync = off');
  const changeBack = async () => await configure('ALTER SYSTEM RESET fsync');
  const record = await bench.withoutClient(system, {
    windowMs: 1_500,
    controlPlane: (deployment) => changesSettingsAndBack(deployment, change, changeBack),
  });
  const verdict = verdictOf(record);
  expect(verdict).toMatch(/^void: settings were changed while the load ran: fsync: on → off; /);
  expect(verdict).toMatch(/configuration loaded: /);
  expect(verdict).toMatch(/fsync: off → on/);
  expect(record.audit?.status).toBe('passed');
});

test('operations that turn waiting for the log off for half of the commits void the trial', async () => {
  const record = await bench.withoutClient(system, {
    windowMs: 1_500,
    controlPlane: (deployment) => replacesFunctions(deployment, configure, commitsAsyncItself),
  });
  expect(verdictOf(record)).toMatch(
    /^void: durable commits were claimed, but others saw one before it was flushed, in \d+ or more of \d+ looks: transaction \d+ /,
  );
  expect(record).toMatchObject({
    audit: { status: 'passed' },
    voidBy: ['visible-before-flushed'],
    facts: { settings: { synchronous_commit: 'on' } },
  });
});

describe('operations that share a transaction', () => {
  test.each([
    [
      'batches-operations',
      /one transaction was the last to write \d+ rows of account, and an operation writes at most 2/,
    ],
    [
      'batches-in-parts',
      /one transaction had \d+ subtransactions that had written, and an operation writes at most 2/,
    ],
  ])('void the trial: %s', async (liar, reason) => {
    const record = await bench.withClient(system, liar, 'told', { windowMs: 1_200 });
    expect(verdictOf(record)).toMatch(reason);
    expect(record).toMatchObject({ audit: { status: 'passed' }, voidBy: ['one-transaction-each'] });
  });

  test('pass as transactions of their own', async () => {
    const record = await bench.withClient(system, 'batches-operations', 'none', { sizes: { rows: 100 } });
    expect(verdictOf(record)).toBe('ok');
    expect(record).toMatchObject({ observed: { lastWriters: { tables: [{ rowsMost: 2 }] } } });
  });
});

test('the same claim passes where it is true', async () => {
  const record = await bench.withoutClient(system, { controlPlane: claimsDurability, windowMs: 1_500 });
  expect(verdictOf(record)).toBe('ok');
  expect(record).toMatchObject({ factsAfter: { durability: 'durable' } });
});

async function configure(statement: string): Promise<void> {
  const client = new Client({ connectionString: bench.deployment(system).endpoint.url });
  await client.connect();
  try {
    await client.query(statement);
    await client.query('SELECT pg_reload_conf()');
  } finally {
    await client.end();
  }
}
