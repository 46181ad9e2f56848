import type { KillTest } from '@fair-bench/results';
import { expect, test } from 'vitest';
import { renderKillTests } from '../src/kill-tests.ts';

const kept = { outcome: 'kept', acknowledged: 1401, inDoubt: 128, couldHide: 3, rowsUnexplained: 0 } as const;
const durable: KillTest = {
  connector: 'postgres-storedproc',
  level: 'durable',
  batch: 1,
  system: 'PostgreSQL',
  version: '18.4',
  fileSystem: 'ext4',
  workload: 'transfer',
  measuredAt: '2026-11-22T02:00:00.000Z',
  kills: [kept, kept],
  commits: {
    operations: 500,
    latencyMsP50: 1.21,
    flushesPerOperation: 1.02,
    afterFlushShare: 0.98,
    atLoad: null,
  },
};
const lost = { ...kept, outcome: 'lost', rowsUnexplained: 12_345 } as const;
const batched: KillTest = { ...durable, batch: 16 };
const async: KillTest = { ...durable, level: 'async', kills: [kept, lost], commits: null };

test('the tables of kill-test fit 100 columns and say what was killed, acknowledged and lost', () => {
  const text = renderKillTests([durable, batched, async], { color: false, width: 100, verbose: false });
  const lines = text.split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  const rows = lines.filter((line) => line.startsWith(durable.connector)).map((line) => line.split(/ {2,}/));
  expect(rows).toEqual([
    ['postgres-storedproc', 'durable', 'PostgreSQL 18.4', '2 kills, 2,802 acknowledged, 0 lost something'],
    ['postgres-storedproc', 'durable×16', 'PostgreSQL 18.4', '2 kills, 2,802 acknowledged, 0 lost something'],
    ['postgres-storedproc', 'async', 'PostgreSQL 18.4', '2 kills, 2,802 acknowledged, 1 lost something'],
    ['postgres-storedproc', 'durable', '256', '6', '0', 'ext4', '1.21', '1.02', '98 %'],
    ['postgres-storedproc', 'durable×16', '256', '6', '0', 'ext4', '1.21', '1.02', '98 %'],
    ['postgres-storedproc', 'async', '256', '6', '12,345', 'ext4', '–', '–', '–'],
  ]);
});
