import { parseArgs } from 'node:util';
import { readFileSync } from 'node:fs';
import { openBench, print, withContext } from './bench.ts';
import { pairedRatio } from '@fair-bench/results';
import { Client } from 'pg';

const signature =
  'CREATE OR REPLACE FUNCTION fair_bench.transfer(source bigint, target bigint, amount bigint) RETURNS text';

/**
 * The transfer in other languages and shapes: the same outcomes except balances beyond 64 bits, locks in the order of
 * ids.
 */
const shapes: Readonly<Record<string, string>> = {
  'plpgsql, an update for each account': readFileSync(
    new URL('../workloads/transfer/postgres.sql', import.meta.url),
    'utf8',
  ),
  'plpgsql, locks first, one update': `${signature} LANGUAGE plpgsql AS $f$
#variable_conflict use_variable
DECLARE funds bigint; found integer;
BEGIN
  IF amount <= 0 THEN RETURN 'non-positive-amount'; END IF;
  IF source = target THEN RETURN 'same-account'; END IF;
  SELECT count(*), min(l.balance) FILTER (WHERE l.id = source) INTO found, funds FROM (
    SELECT a.id, a.balance FROM fair_bench.account AS a WHERE a.id IN (source, target) ORDER BY a.id FOR UPDATE) AS l;
  IF found < 2 THEN RETURN 'missing-account'; END IF;
  IF funds < amount THEN RETURN 'insufficient-funds'; END IF;
  UPDATE fair_bench.account AS a SET balance = a.balance + CASE a.id WHEN source THEN -amount ELSE amount END
    WHERE a.id IN (source, target);
  RETURN NULL;
END $f$`,
  'sql, one statement': `${signature} LANGUAGE sql AS $f$
WITH locked AS MATERIALIZED (
  SELECT a.id, a.balance FROM fair_bench.account AS a WHERE a.id IN (source, target) ORDER BY a.id FOR UPDATE
), verdict AS MATERIALIZED (
  SELECT CASE WHEN amount <= 0 THEN 'non-positive-amount' WHEN source = target THEN 'same-account' WHEN count(*) < 2 THEN 'missing-account'
    WHEN min(balance) FILTER (WHERE id = source) < amount THEN 'insufficient-funds' END AS code FROM locked
), moved AS (
  UPDATE fair_bench.account AS a SET balance = a.balance + CASE a.id WHEN source THEN -amount ELSE amount END
  WHERE a.id IN (source, target) AND (SELECT code FROM verdict) IS NULL
)
SELECT code FROM verdict $f$`,
};

/**
 * Prices the function's language and shape, each against the one that is in use, in interleaved rounds; every trial
 * is seeded, settled and audited.
 *
 *     node tools/price-function.ts [--rounds 6] [--seconds 2] [--async]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      async: { type: 'boolean', default: false },
    },
  });
  const name = values.async ? 'postgres-driver@async' : 'postgres-driver';
  const trial = {
    client: 'native',
    sessions: 16,
    depth: 40,
    windowMs: Number(values.seconds) * 1000,
  } as const;
  await withContext(async (context) => {
    await using bench = await openBench(context, [name]);
    const target = await bench.target(name);
    const tps = new Map(Object.keys(shapes).map((shape) => [shape, new Array<number>()]));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const order = Object.entries(shapes);
      for (const [shape, definition] of round % 2 === 0 ? order : order.toReversed()) {
        await run(target.deployment.endpoint.url, definition);
        tps.get(shape)?.push((await target.measure(trial)).tps);
      }
    }
    report([...tps]);
  });
}

function report([inUse, ...others]: readonly (readonly [string, readonly number[]])[]): void {
  print('| function | throughput ÷ that of the one in use | 95 % |');
  print('| --- | --- | --- |');
  for (const [shape, tps] of others) {
    const pairs = tps.map((contender, round) => ({ baseline: inUse?.[1][round] ?? Number.NaN, contender }));
    const { ratio, ci95 } = pairedRatio(pairs);
    const interval = ci95 === null ? 'none' : `${ci95[0].toFixed(2)} to ${ci95[1].toFixed(2)}`;
    print(`| ${shape} | ${ratio.toFixed(2)} | ${interval} |`);
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

await main();
