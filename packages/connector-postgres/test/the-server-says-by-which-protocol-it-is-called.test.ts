import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { observePostgres } from '../src/observer.ts';
import { sampledIn } from '../src/statement-log.ts';
import { moving, nameOf, seedBoxes, soon, startServer, type TestServer } from './support/provision.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await seedBoxes(server.service, 10, 100n);
});
afterAll(() => server.close());

const none = { prepared: 0, extended: 0, simple: 0 };

describe.each(['stock', 'tuned'] as const)('of the %s codec', (codec) => {
  test.each(['prepared', 'extended', 'simple'] as const)('%s', async (protocol) => {
    const client = new Client({ connectionString: server.service.url });
    await client.connect();
    await client.query('ALTER DATABASE postgres SET log_transaction_sample_rate = 1');
    const session = await server.session('fair-bench test', { codec, protocol });
    const observer = await observePostgres(server.service, soon());
    try {
      const moves = Array.from({ length: 20 }, async () => await session.execute(...moving(1, 2, 0n)));
      expect(new Set((await Promise.all(moves)).map(nameOf))).toEqual(new Set(['applied']));
      // Of a server that is called by others too, their statements are not those of operations.
      await client.query('SELECT 1');
      await expect.poll(async () => await observer.protocols?.()).toEqual({ ...none, [protocol]: 20 });
    } finally {
      await Promise.all([session.close(), observer.close()]);
      await client.query('ALTER DATABASE postgres RESET log_transaction_sample_rate');
      await client.end();
    }
  });
});

const at = '2026-01-02 03:04:05.678 UTC';
const line = (step: string, process = 7, session = 'fair-bench test'): string =>
  `${at} [${process}] <${session}> LOG:  duration: 0.034 ms  ${step}\n`;
const call = 'SELECT fair_bench.move($1, $2, $3)';

test.each([
  [
    'a call that is parsed',
    [`parse <unnamed>: ${call}`, `bind <unnamed>: ${call}`, `execute <unnamed>: ${call}`],
    { extended: 1 },
  ],
  [
    'a statement without a name that is parsed once',
    [`parse <unnamed>: ${call}`, `execute <unnamed>: ${call}`, `execute <unnamed>: ${call}`],
    { extended: 1, prepared: 1 },
  ],
  ['a statement that a pooler renamed', [`execute PGBOUNCER_1: ${call}`], { prepared: 1 }],
  ['a statement of several lines', ['statement: SELECT *\n\tFROM fair_bench.box'], { simple: 1 }],
  ["a pooler's own statement", ["statement: SET application_name='x'"], {}],
] as const)('%s is counted as such', (_what, steps, expected) => {
  expect(sampledIn(steps.map((step) => line(step)).join(''))).toEqual({ ...none, ...expected });
});

test('a parse of another session is not of this one, and our own sessions are not counted', () => {
  const steps = [line(`parse <unnamed>: ${call}`, 8), line(`execute <unnamed>: ${call}`, 7)];
  expect(sampledIn(steps.join(''))).toEqual({ ...none, prepared: 1 });
  expect(sampledIn(line(`statement: ${call}`, 7, 'fair-bench observer'))).toEqual(none);
});
