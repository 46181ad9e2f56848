import { Client, DatabaseError } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import connector from '../src/index.ts';

const sessions = 8;
const moments = 40;
const exclusionViolation = '23P01';
let target: LoneTarget;

beforeAll(async () => {
  const workload = targetWorkload(await workloadNamed('objects'));
  target = await startLoneTarget(routeOf(connector, 'driver'), { ...loneTargetOptions, workload });
});
afterAll(async () => {
  await target.close();
});

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: target.deployment.endpoint.url });
  await client.connect();
  return client;
}

/** Has a period of `valid` for each version, in a table that permits no two at one moment of an object. */
async function checked(client: Client, valid: string): Promise<number | null> {
  // A range of one code, for whose equality no extension is needed.
  await client.query(`CREATE TEMP TABLE period (object int8range, valid int8range,
    PRIMARY KEY (object, valid WITHOUT OVERLAPS))`);
  try {
    const { rowCount } = await client.query(
      `INSERT INTO period SELECT int8range(code, code, '[]'), ${valid} FROM fair_bench.version`,
    );
    return rowCount;
  } finally {
    await client.query('DROP TABLE period');
  }
}

test('each version of an object ends where the next begins, whoever corrects it at once', async () => {
  const clients = await Promise.all(Array.from({ length: sessions }, connected));
  const [client] = clients;
  if (client === undefined) throw new Error('there are sessions');
  await client.query(`INSERT INTO fair_bench.version VALUES (1, 0, 1, 1, 'first', '')`);
  // All begin at the same moments, in orders of their own.
  await Promise.all(
    clients.map(async (each, session) => {
      for (let turn = 0; turn < moments; turn += 1) {
        const begins = 1 + ((turn * (2 * session + 1)) % moments);
        await each.query(`SELECT * FROM fair_bench.correct(1, 0, $1, 'later', '')`, [begins]);
      }
    }),
  );
  const untilNext = 'int8range(valid_from, lead(valid_from) OVER (PARTITION BY code ORDER BY valid_from))';
  const versions = await checked(client, untilNext);
  expect(versions).toBeGreaterThan(sessions);
  expect(versions).toBeLessThanOrEqual(moments + 1);
  // A version alone does not know its end: one without an end overlaps every later one.
  const withoutEnd = await checked(client, 'int8range(valid_from, NULL)').catch((error: unknown) => error);
  expect(withoutEnd instanceof DatabaseError && withoutEnd.code).toBe(exclusionViolation);
  await Promise.all(clients.map(async (each) => await each.end()));
});
