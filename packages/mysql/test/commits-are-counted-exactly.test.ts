import { describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { suiteTarget, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf, type WorkCounters } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import type { SqlSystem } from '@fair-bench/sql';
import { members } from './support/members.ts';

const sessions = 10;
const operations = 100;
/** InnoDB's own commits, such as saving the statistics of a table, or the numbers of transactions that are in the binary log. */
const ownMax = 20;
const transfer = await workloadNamed('transfer');

/** What the counters rise by while each session runs a statement so often. */
async function riseBy(
  text: string,
  parameters: readonly number[],
  running: LoneTarget,
  system: SqlSystem,
): Promise<WorkCounters> {
  const { deployment } = running;
  const before = await deployment.counters(AbortSignal.timeout(5_000));
  await Promise.all(
    Array.from({ length: sessions }, async () => {
      const connection = await system.connect(deployment.endpoint.url);
      for (let done = 0; done < operations; done += 1) await connection.query(text, parameters);
      await connection.end();
    }),
  );
  const after = await deployment.counters(AbortSignal.timeout(5_000));
  const rise = (name: 'commits' | 'flushes' | 'scans') => (after[name] ?? 0) - (before[name] ?? 0);
  return { commits: rise('commits'), flushes: rise('flushes'), scans: rise('scans') };
}

describe.for(chosen(members, ({ name }) => name === 'mariadb'))('$name', async (member) => {
  const { lacking, target } = await suiteTarget(routeOf(member.connector, 'driver'), transfer);

  test('every commit of a statement that writes is counted once, and none of a read', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    const all = sessions * operations;
    const rise = async (text: string) => await riseBy(text, [1], target(), member.system);
    await rise('INSERT IGNORE INTO fair_bench.account VALUES (?, 0)');
    const written = await rise('UPDATE fair_bench.account SET balance = balance + 1 WHERE id = ?');
    expect(written.commits).toBeGreaterThanOrEqual(all);
    expect(written.commits).toBeLessThanOrEqual(all + ownMax);
    // One row: each commit waits for the one before, and at most all sessions for one flush.
    expect(written.flushes).toBeGreaterThanOrEqual(all / sessions);
    const read = await rise('SELECT balance FROM fair_bench.account WHERE id = ?');
    expect(read.commits).toBeLessThanOrEqual(ownMax);
    expect(read.scans).toBeGreaterThanOrEqual(all);
    // Each of few new connections, and what reads the counters, looks some up.
    expect(read.scans).toBeLessThanOrEqual(1.1 * all + 100);
  });

  test('commits of a workload that may only insert are counted where each takes two ids, and otherwise not at all', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    const queue = targetWorkload(await workloadNamed('queue'));
    const enqueuing = await startLoneTarget(routeOf(member.connector, 'driver'), {
      ...loneTargetOptions,
      workload: queue,
    });
    try {
      const counted = await enqueuing.deployment.counters(AbortSignal.timeout(5_000));
      expect(counted.flushes).toBeGreaterThan(0);
      // MySQL keeps what is inserted in an undo log of its own, and takes one id for such a transaction.
      expect(counted.commits === undefined).toBe(member.name === 'mysql');
      if (counted.commits === undefined) return;
      const rise = await riseBy(
        'INSERT INTO fair_bench.job VALUES (floor(rand() * 1e12), ?)',
        [1],
        enqueuing,
        member.system,
      );
      expect(rise.commits).toBeGreaterThanOrEqual(sessions * operations);
      expect(rise.commits).toBeLessThanOrEqual(sessions * operations + ownMax);
    } finally {
      await enqueuing.close();
    }
  });

  test('a user who may not see the status of InnoDB has no counters, and the trial goes on without', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    const root = await member.system.connect(target().deployment.endpoint.url);
    await root.query("CREATE USER plain@'%'", []);
    await root.query("GRANT ALL ON fair_bench.* TO plain@'%'", []);
    await root.end();
    const plain = new URL(target().deployment.endpoint.url);
    plain.username = 'plain';
    const named = await startLoneTarget(routeOf(member.connector, 'driver'), {
      ...loneTargetOptions,
      workload: targetWorkload(await workloadNamed('point-read')),
      url: plain.href,
    });
    try {
      expect(await named.deployment.counters(AbortSignal.timeout(5_000))).toEqual({});
      const observer = await named.deployment.observe(AbortSignal.timeout(5_000));
      expect(observer.committed).toBeNull();
      await observer.close();
    } finally {
      await named.close();
    }
  });
});
