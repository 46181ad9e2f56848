import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { killTestOf, readKillTests, storeKillTests } from '@fair-bench/results';
import { loneTargetOptions } from '@fair-bench/supervisor';
import { targetWorkload } from '@fair-bench/workload';
import { loadConnector, sessionsPathOf } from '../src/discover/load.ts';
import { loadWorkload } from '../src/discover/workload.ts';
import { discoverFor } from '../src/discover/workspace.ts';
import { killTarget } from '../src/durability/kill-target.ts';

/** The first build compiles the engine. */
const testMsMax = 20 * 60_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-killed-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

test(
  'the process of a native engine is killed at each tier: commits of durability none are lost, and each tier is stored by itself',
  async ({ skip }) => {
    if (process.platform !== 'linux') skip('needs Linux: it finds the processes in /proc');
    const workload = await loadWorkload(root, 'transfer');
    const { connectors } = await discoverFor(root, workload);
    const found = connectors.find(({ name }) => name === 'redb-embedded');
    if (found === undefined) throw new Error('redb-embedded was not discovered');
    const route = await loadConnector(found);
    const given = targetWorkload(workload);
    const available = await route.probe({ ...loneTargetOptions, workload: given });
    if (!available.available) skip(`${available.reason}; ${available.remedy}`);
    const tiers = [
      { durability: 'durable', batch: 1 },
      { durability: 'durable', batch: 16 },
      { durability: 'async', batch: 1 },
    ] as const;
    for (const { durability, batch } of tiers) {
      const killed = await killTarget({
        route,
        connector: found.name,
        options: { ...loneTargetOptions, durability, workload: given },
        workload,
        clientModulePath: sessionsPathOf({ found, connector: route }) ?? '',
        batch,
        // What the last one loses is chance.
        kills: durability === 'durable' ? 1 : 4,
        dataRoot: undefined,
        onKill: (line) => process.stdout.write(`redb, ${durability}, batch ${batch}, ${line}\n`),
      });
      await storeKillTests(scratch, [killed]);
    }
    const stored = await readKillTests(scratch);
    expect(stored).toHaveLength(tiers.length);
    const outcomes = tiers.map(({ durability: level, batch }) => {
      const [{ system, version, fileSystem } = { system: '', version: '', fileSystem: '' }] = stored;
      const of = { connector: found.name, level, batch, system, version, fileSystem };
      return killTestOf(stored, of)?.kills.map(({ outcome }) => outcome);
    });
    expect(outcomes[0]).toEqual(['kept']);
    expect(outcomes[1]).toEqual(['kept']);
    expect(outcomes[2]).toContain('lost');
  },
  testMsMax,
);
