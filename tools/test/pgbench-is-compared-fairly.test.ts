import { mkdtemp, rm } from 'node:fs/promises';
import { inTestAll } from '@fair-bench/contract/test-support';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from '@fair-bench/connector-postgres';
import { routeOf } from '@fair-bench/contract';
import { loadWorkload, seed } from '@fair-bench/runner';
import { startLoneTarget } from '@fair-bench/supervisor';
import { defaultParameters, resolveWorkload, shapeOf, targetWorkload } from '@fair-bench/workload';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { pgbenchMissing, runPgbench } from '../pgbench.ts';
import { type Work, works } from '../crosscheck/works.ts';

const missing = await pgbenchMissing();

/** A PostgreSQL with so many rows of a work that pgbench does too. */
async function startWith(work: Work, rows: number) {
  const { description, folder } = await loadWorkload(
    new URL('../..', import.meta.url).pathname,
    work.workload,
  );
  const parameters = { ...defaultParameters(description), ...work.parameters(rows) };
  const shape = shapeOf(resolveWorkload(description, parameters));
  const target = await startLoneTarget(routeOf(postgres, 'driver'), {
    workload: targetWorkload({ description, folder }, shape),
  });
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-pgbench-'));
  onTestFinished(async () => {
    await target.close();
    await rm(directory, { recursive: true });
  });
  const { deployment } = target;
  const signal = AbortSignal.timeout(30_000);
  await seed({ cell: { target: 'postgres', parameters }, workload: description, deployment, signal });
  const load = {
    url: deployment.endpoint.url,
    connections: 2,
    durationS: 1,
    script: await work.script(folder, rows),
  };
  return { deployment, signal, load, directory };
}

inTestAll(() => {
  test('pgbench reads our rows by our statement, and the server says by which protocol', async ({ skip }) => {
    skip(missing !== null, missing ?? '');
    const { deployment, signal, directory, ...started } = await startWith(works['point-read'], 1_000);
    const load = { ...started.load, sessionOptions: '-c log_transaction_sample_rate=0.01' };
    for (const protocol of ['simple', 'extended', 'prepared'] as const) {
      const observer = await deployment.observe(signal);
      const { tps, transactions, cpuUsPerTxn } = await works['point-read'].counted(
        deployment,
        async () => await runPgbench({ directory, signal }, { ...load, protocol }),
      );
      expect(Math.min(tps, transactions, cpuUsPerTxn)).toBeGreaterThan(0);
      const { [protocol]: own, ...others } = (await observer.protocols?.()) ?? {};
      expect(own).toBeGreaterThan(0);
      expect(Object.values(others)).toEqual([0, 0]);
      await observer.close();
    }
  });
});

test('the work of pgbench’s own transaction is ours, and each one that it counts is in the tables', async ({
  skip,
}) => {
  skip(missing !== null, missing ?? '');
  const { deployment, signal, directory, load } = await startWith(works.tpcb, 1_000);
  const run = async () => await runPgbench({ directory, signal }, load);
  const { transactions } = await works.tpcb.counted(deployment, run);
  expect(transactions).toBeGreaterThan(0);
  const boasting = async () => ({ ...(await run()), transactions: 1 });
  await expect(works.tpcb.counted(deployment, boasting)).rejects.toThrow(/entries of 1 transactions/);
  const losing = async () => {
    const result = await run();
    await withoutAnEntry(load.url);
    return { ...result, transactions: result.transactions - 1 };
  };
  await expect(works.tpcb.counted(deployment, losing)).rejects.toThrow(/account changed by/);
  await expect(
    works['point-read'].counted(deployment, () =>
      Promise.resolve({ tps: 9, transactions: 9_000_000, failed: 0, cpuUsPerTxn: 1 }),
    ),
  ).rejects.toThrow(/scans of 9000000 reads/);
});

/** An entry that moved something is not there. */
async function withoutAnEntry(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(
    'DELETE FROM fair_bench.history WHERE id = (SELECT id FROM fair_bench.history WHERE delta <> 0 LIMIT 1)',
  );
  await client.end();
}
