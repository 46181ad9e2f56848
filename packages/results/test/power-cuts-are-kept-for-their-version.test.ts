import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type PowerCuts, powerCutsOf, readPowerCuts, storePowerCuts } from '../src/index.ts';

const root = await mkdtemp(join(tmpdir(), 'fair-bench-power-cuts-'));
afterAll(async () => await rm(root, { recursive: true, force: true }));

const cuts: PowerCuts = {
  connector: 'alpha-driver',
  level: 'durable',
  batch: 1,
  system: 'Alpha',
  version: '1.0',
  workload: 'transfer',
  measuredAt: '2026-11-28T02:00:00.000Z',
  cuts: 5,
  lossy: 0,
  undecided: 0,
  acknowledged: 9_000,
};

test('a newer test of the same version, level and batch replaces the stored one; others stay', async () => {
  expect(await readPowerCuts(root)).toEqual([]);
  const async: PowerCuts = { ...cuts, level: 'async', lossy: 4 };
  await storePowerCuts(root, [cuts, async, { ...cuts, version: '2.0' }]);
  await storePowerCuts(root, [{ ...cuts, cuts: 7 }]);
  const stored = await readPowerCuts(root);
  expect(stored).toHaveLength(3);
  expect(powerCutsOf(stored, cuts)?.cuts).toBe(7);
  expect(powerCutsOf(stored, async)?.lossy).toBe(4);
  expect(powerCutsOf(stored, { ...cuts, batch: 16 })).toBe(null);
});

test('a broken file is named, with the remedy', async () => {
  await writeFile(join(root, 'results', 'power-cuts.json'), '{"schemaVersion":1,"tests":[{}]}');
  await expect(readPowerCuts(root)).rejects.toThrow(
    /power-cuts\.json: is not a table of power cuts: .*remove the file/,
  );
});
