import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noAnomalies } from '@fair-bench/contract';
import {
  isolationFile,
  isolationOf,
  type ObservedIsolation,
  readIsolation,
  storeIsolation,
} from '@fair-bench/results';
import { factsOf, planOf } from '@fair-bench/analysis/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetOutcomes } from '../src/run/target-outcomes.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'isolation-'));
});
afterAll(async () => await rm(root, { recursive: true }));

const one: ObservedIsolation = {
  connector: 'postgres-driver',
  system: 'PostgreSQL',
  version: '18.4',
  level: 'read-committed',
  workload: 'isolation',
  outstandingMax: 50,
  trials: 1,
  operations: 1000,
  anomalies: { ...noAnomalies, 'lost-update': 5, 'G2-item': 2 },
  observedAt: '2026-01-02T00:00:00.000Z',
};

test('nothing is known before the first run', async () => {
  expect(await readIsolation(root)).toEqual([]);
});

test('an observation replaces that of the same route, version and level, and no other', async () => {
  const later = { ...one, operations: 2000 };
  const others: ObservedIsolation[] = [
    { ...one, level: 'serializable' },
    { ...one, version: '19.0' },
    { ...one, connector: 'postgres-drizzle' },
  ];
  await storeIsolation(root, [one, ...others]);
  await storeIsolation(root, [later]);
  const all = await readIsolation(root);
  expect(all).toHaveLength(4);
  expect(isolationOf(all, one)).toEqual(later);
  for (const other of others) expect(isolationOf(all, other)).toEqual(other);
  expect(isolationOf(all, { ...one, version: '17.0' })).toBeNull();
});

test.each([
  ['embedded', true],
  ['url', false],
] as const)('a server that is %s takes it from one of its version: %s', async (provider, takes) => {
  const { targets } = planOf({ targets: ['postgres-driver'] });
  const facts = factsOf(one.system, { provider, system: { name: one.system, version: one.version } });
  await storeIsolation(
    root,
    targets.map(({ connector }) => ({ ...one, connector })),
  );
  const [outcome] = await targetOutcomes(
    { targets },
    {
      states: new Map(
        targets.map(({ target }) => [target, { status: 'ready', facts, storageDirectory: null }]),
      ),
      connectors: new Map(),
      context: { root, display: { message: (text) => expect.fail(text) } },
    },
  );
  expect(outcome?.isolation !== undefined).toBe(takes);
});

test('a broken table names the file and the remedy', async () => {
  await writeFile(isolationFile(root), '{}');
  await expect(readIsolation(root)).rejects.toThrow(
    /results.isolation\.json: is not a table of observed isolation: .*; remove it, and run/,
  );
  expect(await readFile(isolationFile(root), 'utf8')).toBe('{}');
});
