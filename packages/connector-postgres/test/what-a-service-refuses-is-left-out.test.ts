import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultTargetSettings, type TargetOptions } from '@fair-bench/contract';
import { probeFor } from '../src/probe.ts';
import { boxes } from './support/boxes/workload.ts';
import { poolerVersion, startPooler } from './support/pooler.ts';
import { readBoxes, seedBoxes, startServer, type TestServer } from './support/provision.ts';
import { cockroach25, type Refusal, refusals, startRefusingDouble } from './support/refusing-double.ts';

let theirs: TestServer;

beforeAll(async () => {
  theirs = await startServer();
});
afterAll(() => theirs.close());

const { freeze, freezeLater, vacuum, indexes } = refusals;
const whole = 'COPY with FREEZE, indexes afterwards, VACUUM';

test.each<[string, readonly Refusal[], string]>([
  ['nothing', [], whole],
  ['FREEZE', [freeze], 'COPY without FREEZE'],
  ['FREEZE in this state', [freezeLater], 'COPY without FREEZE'],
  ['VACUUM', [vacuum], 'no VACUUM'],
  ['to drop an index', [indexes], 'indexes are kept up to date row by row'],
  [
    'all of that',
    [freeze, vacuum, indexes],
    'COPY without FREEZE, indexes are kept up to date row by row, no VACUUM',
  ],
])(
  'a double of a service that refuses %s is seeded without it, and its facts say so',
  async (_, refused, words) => {
    const double = await startRefusingDouble(theirs.service.url, refused);
    try {
      const server = await startServer({ url: double.url });
      try {
        expect(server.service.settings['fair_bench.loading']).toBe(words);
        // Twice: into an empty table, and in place of its rows.
        for (const items of [10n, 11n]) {
          await seedBoxes(server.service, 500, items);
          const rows = await readBoxes(server.service);
          expect(rows.size).toBe(500);
          expect(new Set(rows.values())).toEqual(new Set([items]));
        }
      } finally {
        await server.close();
      }
    } finally {
      await double.close();
    }
  },
);

test('a double of CockroachDB that says that it is PostgreSQL 13 is taken for what it is', async () => {
  const double = await startRefusingDouble(theirs.service.url, [cockroach25]);
  try {
    const settings = { ...defaultTargetSettings, url: double.url, workload: null };
    const options: TargetOptions = { ...settings, sessionsMax: 4, threadsMax: 1, depthMax: 1, batchMax: 1 };
    expect(await probeFor([], 'sessions')(options)).toEqual({
      available: true,
      provider: 'url',
      version: 'CockroachDB 25.2.1',
    });
  } finally {
    await double.close();
  }
});

test('an error that does not say "not here" ends it', async () => {
  const double = await startRefusingDouble(theirs.service.url, [{ ...vacuum, code: '53100' }]);
  try {
    await expect(startServer({ url: double.url })).rejects.toThrow('not supported here');
  } finally {
    await double.close();
  }
});

const pgbouncer = await poolerVersion();

describe('a real PgBouncer in front of it', () => {
  beforeEach((context) => context.skip(pgbouncer === null, 'pgbouncer is not installed'));
  const probe = probeFor([], 'poolSize');
  const asked = (url: string): TargetOptions => ({
    ...defaultTargetSettings,
    url,
    durability: 'async',
    isolation: 'serializable',
    sessionsMax: 8,
    depthMax: 1,
    threadsMax: 1,
    batchMax: 1,
    workload: boxes,
  });

  test.each([
    [
      'drops',
      true,
      /ask for synchronous_commit = off, default_transaction_isolation = serializable and do not/,
    ],
    ['refuses', false, /it refuses sessions that ask for synchronous_commit = off, .*options/],
  ] as const)('that %s what sessions ask for is no target of it', async (_, ignoresOptions, reason) => {
    const pooler = await startPooler(theirs.service.url, { mode: 'session', poolSize: 5, ignoresOptions });
    try {
      const found = await probe(asked(pooler.url));
      expect(found).toMatchObject({ available: false });
      expect(found.available ? '' : found.reason).toMatch(reason);
      expect(found.available ? '' : found.remedy).toContain('give the URL of the server itself');
    } finally {
      await pooler.close();
    }
  });

  test('the server itself has it', async () => {
    expect(await probe(asked(theirs.service.url))).toMatchObject({ available: true });
  });
});
