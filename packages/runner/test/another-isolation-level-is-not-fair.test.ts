import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PostgresService } from '@fair-bench/connector-postgres';
import { readSummary, smallRun, startCommand } from './support/command.ts';
import { measured } from './support/measured.ts';
import { startUsersServer } from './support/users-server.ts';

const testTimeoutMs = 200_000;
let scratch = '';
let close: () => Promise<void> = async () => {};
let server: PostgresService;

/** A real user's server: nothing is known of its processes, so its commits are judged by the flushes of the whole disk. */
beforeAll(async () => {
  ({ scratch, close, server } = await startUsersServer());
}, testTimeoutMs);
afterAll(async () => await close());

test(
  'another isolation level in force is NOT FAIR, on a server by URL that is not restarted',
  async () => {
    const url = new URL(server.url);
    url.searchParams.set('options', '-c synchronous_commit=on -c default_transaction_isolation=serializable');
    // Operations that fail to serialize are many, and the subject of another test.
    const system = ['--systems', 'postgres-driver', '--url', `postgres=${url.href}`, '--faults-max', '100%'];
    const { out, code, output } = await measured(scratch, (to) =>
      startCommand([...smallRun, ...system, '--trials', '2', '--out', to]),
    );
    expect(code, output).toBe(0);
    const { verdict, cells } = await readSummary(out);
    expect(verdict.differences.map(({ subject }) => subject)).toEqual(['transaction_isolation']);
    expect(verdict.fair).toBe(false);
    expect(cells.map((cell) => cell.status === 'ok' && cell.deployments)).toEqual([1]);
  },
  testTimeoutMs,
);
