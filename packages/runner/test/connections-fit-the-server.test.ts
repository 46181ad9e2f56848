import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresService } from '@fair-bench/connector-postgres';
import { Client } from 'pg';
import { measured } from './support/measured.ts';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { startUsersServer } from './support/users-server.ts';

const testTimeoutMs = 150_000;
const limit = 20;
let scratch = '';
let close: () => Promise<void> = async () => {};
let server: PostgresService;
let url = '';

beforeAll(async () => {
  ({ scratch, close, server } = await startUsersServer());
  await asOwner(async (client) => {
    await client.query(`CREATE ROLE small LOGIN PASSWORD 'open-sesame' CONNECTION LIMIT ${limit}`);
    await client.query('CREATE DATABASE app OWNER small');
  });
  const small = new URL(server.url);
  small.username = 'small';
  small.password = 'open-sesame';
  small.pathname = '/app';
  url = small.href;
}, testTimeoutMs);
afterAll(async () => await close());

async function asOwner<Result>(act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** Looks often at how many connections the role has; `stop` resolves with the most at once. */
async function watchRole(): Promise<AsyncDisposable & { stop(): Promise<number> }> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const end = new AbortController();
  const looking = (async () => {
    let most = 0;
    while (!end.signal.aborted) {
      const { rows } = await client.query<{ count: string }>(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = 'small'",
      );
      most = Math.max(most, Number(rows[0]?.count));
      await sleep(5);
    }
    await client.end();
    return most;
  })();
  const stop = async (): Promise<number> => {
    end.abort();
    return await looking;
  };
  return { stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

describe('a role of 20 connections', () => {
  test(
    'is refused with 50 sessions before anything starts, and measured on every route with the options that are named then',
    async () => {
      const words = [...smallRun, '--systems', 'postgres', '--url', `postgres=${url}`, '--trials', '1'];
      const refused = startCommand([...words, '--sessions', '50', '--pool-size', '50']);
      expect(await refused.ended).toBe(2);
      const said = refused.output();
      expect(said).toMatch(/postgres-driver: it needs 58 connections at once, 8 of them of the runner/);
      expect(said).toContain(
        `the server gives this user ${limit} (the role's CONNECTION LIMIT ${limit}, 0 open)`,
      );
      const [, fits = ''] = /run it with (.*)$/m.exec(said) ?? [];
      expect(fits).toBe('--sessions 12 --pool-size 12');
      // Nothing of ours was made.
      const client = new Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = 'fair_bench'");
      await client.end();
      expect(rows).toEqual([]);

      await using watch = await watchRole();
      const { out, code, output } = await measured(scratch, (to) =>
        startCommand([...words, ...fits.split(' '), '--out', to]),
      );
      const most = await watch.stop();
      expect(code, output).toBe(0);
      const { cells, verdict } = await readSummary(out);
      expect(cells.map(({ route, status }) => [route, status])).toEqual(
        expect.arrayContaining([
          ['driver', 'ok'],
          ['drizzle', 'ok'],
          ['storedproc', 'ok'],
        ]),
      );
      expect(verdict.trials, output).toEqual({ audited: 3, void: 0 });
      // The pools of the targets that rest are closed.
      expect(most).toBeGreaterThan(12);
      expect(most).toBeLessThanOrEqual(limit);
    },
    testTimeoutMs,
  );
});
