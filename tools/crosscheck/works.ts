import { join } from 'node:path';
import { readSqlBinding } from '@fair-bench/connector-postgres/sessions';
import type { Deployment, JsonObject } from '@fair-bench/contract';
import { Client } from 'pg';
import { type PgbenchResult, scriptOf } from '../pgbench.ts';

/** What both clients do: an operation of a workload, which the native load client's audit judges and which pgbench only counts. */
export interface Work {
  readonly workload: 'point-read' | 'tpcb';
  /** Parameters of the workload for so many rows to draw from. */
  readonly parameters: (rows: number) => JsonObject;
  /** Lines of pgbench for the workload in this folder. */
  readonly script: (folder: string, rows: number) => Promise<readonly string[]>;
  /**
   * Runs pgbench, which checks nothing and would be fast on an empty table; rejects unless the server has done what pgbench
   * counted.
   */
  readonly counted: (deployment: Deployment, run: () => Promise<PgbenchResult>) => Promise<PgbenchResult>;
}

/** pgbench's scale sets the branches, and there are ten tellers for each. */
function sizesOf(accounts: number) {
  const branches = Math.max(1, Math.round(accounts / 100_000));
  return { accounts, branches, tellers: 10 * branches };
}

const reads: Work = {
  workload: 'point-read',
  parameters: (rows) => ({ rows }),
  script(folder, rows) {
    const { read = '' } = readSqlBinding(join(folder, 'postgres.sql')).statements;
    return Promise.resolve([`\\set id random(0, ${rows - 1})`, `${read.replaceAll('$1', ':id')};`]);
  },
  async counted(deployment, run) {
    const scans = async () => (await deployment.counters(AbortSignal.timeout(30_000))).scans ?? 0;
    const before = await scans();
    const result = await run();
    const seen = (await scans()) - before;
    if (seen < result.transactions) {
      throw new Error(`pgbench: the server counted ${seen} scans of ${result.transactions} reads`);
    }
    return result;
  },
};

const transactions: Work = {
  workload: 'tpcb',
  parameters: sizesOf,
  script: async (folder, rows) => await scriptOf(folder, sizesOf(rows)),
  async counted(deployment, run) {
    const client = new Client({ connectionString: deployment.endpoint.url });
    await client.connect();
    try {
      // What the trial before has left would be in pgbench's way alone.
      await client.query('TRUNCATE fair_bench.history');
      await client.query('VACUUM (ANALYZE) fair_bench.account, fair_bench.teller, fair_bench.branch');
      const before = await sumsOf(client);
      const result = await run();
      const after = await sumsOf(client);
      if (after.entries !== BigInt(result.transactions)) {
        throw new Error(`pgbench: ${after.entries} entries of ${result.transactions} transactions`);
      }
      for (const table of ['account', 'teller', 'branch'] as const) {
        const change = after[table] - before[table];
        if (change !== after.delta) {
          throw new Error(`pgbench: its entries add ${after.delta}, and ${table} changed by ${change}`);
        }
      }
      return result;
    } finally {
      await client.end();
    }
  },
};

type Sums = Readonly<Record<'account' | 'teller' | 'branch' | 'delta' | 'entries', bigint>>;

async function sumsOf(client: Client): Promise<Sums> {
  const sumOf = async (sql: string): Promise<bigint> => {
    const { rows } = await client.query<{ sum: string }>(`SELECT coalesce(${sql}, 0)::text AS sum`);
    return BigInt(rows[0]?.sum ?? 0);
  };
  return {
    account: await sumOf('(SELECT sum(abalance) FROM fair_bench.account)'),
    teller: await sumOf('(SELECT sum(tbalance) FROM fair_bench.teller)'),
    branch: await sumOf('(SELECT sum(bbalance) FROM fair_bench.branch)'),
    delta: await sumOf('(SELECT sum(delta) FROM fair_bench.history)'),
    entries: await sumOf('(SELECT count(*) FROM fair_bench.history)'),
  };
}

/** The work of the two transactions that pgbench has built in: `-S` and "TPC-B (sort of)", of which each is one statement here. */
export const works = { 'point-read': reads, tpcb: transactions };
