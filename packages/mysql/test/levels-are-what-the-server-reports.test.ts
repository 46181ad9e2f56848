import { runShortTrialAgain, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { type Anomaly, anomalySchema, type Isolation, routeOf } from '@fair-bench/contract';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { smallParameters } from '@fair-bench/workload';
import { describe, expect, test } from 'vitest';
import { engineSetting, innodb } from '../src/settings.ts';
import { members } from './support/members.ts';

const [{ system }] = members;
const inForce = {
  [engineSetting]: innodb,
  innodb_flush_log_at_trx_commit: '1',
  innodb_flush_method: 'O_DIRECT',
  log_bin: 'OFF',
  sync_binlog: '0',
};

test('a commit is durable only where the log, and the binary log if there is one, is flushed', () => {
  const durabilityOf = (changed: Readonly<Record<string, string>>) =>
    system.durabilityOf({ ...inForce, ...changed });
  expect(durabilityOf({})).toBe('durable');
  expect(durabilityOf({ innodb_flush_log_at_trx_commit: '3' })).toBe('durable');
  expect(durabilityOf({ innodb_flush_log_at_trx_commit: '2' })).toBe('async');
  expect(durabilityOf({ innodb_flush_log_at_trx_commit: '0' })).toBe('async');
  expect(durabilityOf({ log_bin: 'ON' })).toBe('async');
  expect(durabilityOf({ log_bin: 'ON', sync_binlog: '1' })).toBe('durable');
  expect(durabilityOf({ innodb_flush_method: 'nosync' })).toBe('none');
});

test('REPEATABLE READ is a snapshot only where it refuses to write over what it did not read', () => {
  const isolationOf = (transaction_isolation: string, innodb_snapshot_isolation = 'OFF') =>
    system.isolationOf({ transaction_isolation, innodb_snapshot_isolation });
  expect(isolationOf('REPEATABLE-READ')).toBe('read-committed');
  expect(isolationOf('REPEATABLE-READ', 'ON')).toBe('snapshot');
  expect(isolationOf('READ-COMMITTED', 'ON')).toBe('read-committed');
  expect(isolationOf('READ-UNCOMMITTED', 'ON')).toBe('read-uncommitted');
  expect(isolationOf('SERIALIZABLE')).toBe('serializable');
});

/** `undoes`: whether transactions that collide are undone, and are sent again. */
const levels: readonly { level: Isolation; permits: readonly Anomaly[]; undoes: boolean }[] = [
  { level: 'read-committed', permits: ['lost-update', 'G-single', 'G2-item', 'real-time'], undoes: false },
  { level: 'snapshot', permits: ['G2-item', 'real-time'], undoes: true },
  { level: 'serializable', permits: ['real-time'], undoes: true },
];

const manifests: Readonly<Record<string, readonly Isolation[]>> = {
  mariadb: ['read-committed', 'snapshot', 'serializable'],
  mysql: ['read-committed', 'serializable'],
};
const all = members.flatMap((member) =>
  levels
    .filter(({ level }) => manifests[member.name]?.includes(level) === true)
    .map((level) => ({ member, name: member.name, ...level })),
);

describe.for(all)('$name at $level', ({ member, level, permits, undoes }) => {
  const route = routeOf(member.connector, 'driver');

  test('a trial shows what the level permits, and counts how often operations were sent again', async ({
    skip,
  }) => {
    const workload = await workloadNamed('isolation');
    const options = { ...loneTargetOptions, isolation: level, workload: targetWorkload(workload) };
    const availability = await route.probe(options);
    if (!availability.available) skip(`${availability.reason}; ${availability.remedy}`);
    const target = await startLoneTarget(route, options);
    try {
      const record = await runShortTrialAgain({
        target: route.name,
        deployment: target.deployment,
        client: { kind: 'node', module: member.client },
        directory: target.directory,
        workload: workload.description,
        parameters: smallParameters(workload.description, { rows: 4 }),
        depth: 1,
        windowMs: 700,
      });
      expect(record).toMatchObject({ status: 'ok', factsAfter: { isolation: level } });
      const counts = record.audit?.isolation?.anomalies;
      const seen = anomalySchema.options.filter((anomaly) => counts !== undefined && counts[anomaly] > 0);
      expect(seen.filter((anomaly) => !permits.includes(anomaly))).toEqual([]);
      const retries = record.status === 'ok' ? record.result.window.retries : 0;
      expect(retries > 0).toBe(undoes);
    } finally {
      await target.close();
    }
  });
});
