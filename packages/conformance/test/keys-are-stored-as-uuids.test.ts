import { readFileSync } from 'node:fs';
import { keyOfUuid, uuidBytes, uuidOf } from '@fair-bench/contract';
import { chosen } from '@fair-bench/contract/test-support';
import { describe, expect, onTestFinished, test } from 'vitest';
import { workloadNamed } from '../src/workloads.ts';
import { replacesFunctions } from './liars/lying-deployments.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';

/** The types are PostgreSQL's, SQLite's and those of MySQL's family; conformance on `visits` reads each back. */
const targets = chosen(
  ['postgres-driver', 'sqlite-drizzle', 'mariadb-driver', 'mysql-driver'],
  (name) => name === 'postgres-driver',
);

describe('the UUID of a key', () => {
  const keys = [0, 1, 41, 2 ** 16, 2 ** 31, 2 ** 32 - 1];

  test.each([4, 7] as const)('of version %d is one by RFC 9562, and gives the key back', (version) => {
    for (const key of keys) {
      const uuid = uuidOf(version, key);
      expect(uuid).toMatch(
        new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
      );
      expect(keyOfUuid(version, uuid)).toBe(key);
      expect(keyOfUuid(version, uuidBytes(version, key))).toBe(key);
      // Another version, another digit and another length are of no key.
      expect(keyOfUuid(version === 4 ? 7 : 4, uuid)).toBeNull();
      expect(
        keyOfUuid(
          version,
          uuid.replace(/^./, (first) => (first === '0' ? '1' : '0')),
        ),
      ).toBeNull();
      expect(keyOfUuid(version, uuid.slice(1))).toBeNull();
    }
  });

  test('is in the order of the keys in version 7 only', () => {
    const of = (version: 4 | 7) => keys.map((key) => uuidOf(version, key));
    expect(of(7)).toEqual(of(7).toSorted());
    expect(of(4)).not.toEqual(of(4).toSorted());
  });
});

test.for(targets)('%s keeps them, and every row is the one of the workload', async (target, { skip }) => {
  const lack = await LiarBench.lack(target, {});
  if (lack !== null) skip(lack);
  const bench = await LiarBench.on(await workloadNamed('visits'), target);
  onTestFinished(() => bench.close());
  const record = await bench.withoutClient(target, { sessions: 8 });
  expect(verdictOf(record)).toBe('ok');
  expect(record).toMatchObject({ audit: { status: 'passed' } });
  expect(record.audit?.rowsChecked).toBeGreaterThan(1_000);
});

test('a UUID that is of no key voids the trial', { timeout: 120_000 }, async () => {
  const path = new URL('../../../workloads/visits/postgres.sql', import.meta.url);
  const functions = readFileSync(path, 'utf8');
  const random = functions.replace("VALUES (fair_bench.uuid_of('7', id)", 'VALUES (gen_random_uuid()');
  expect(random).not.toBe(functions);
  const bench = await LiarBench.on(await workloadNamed('visits'), 'postgres-driver');
  onTestFinished(() => bench.close());
  const record = await bench.withoutClient('postgres-driver', {
    sessions: 8,
    controlPlane: (deployment) => replacesFunctions(deployment, random),
  });
  expect(verdictOf(record)).toMatch(/^void: .*visit\.id/);
});
