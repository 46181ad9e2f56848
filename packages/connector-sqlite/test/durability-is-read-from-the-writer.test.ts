import { expect, test } from 'vitest';
import { targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { provisionForTest } from '@fair-bench/rpc/test-support';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const workload = targetWorkload(await workloadNamed('transfer'));

for (const [durability, synchronous] of [
  ['durable', 'full'],
  ['async', 'normal'],
] as const) {
  test(`requested ${durability}, the writing connection reports ${synchronous}`, async () => {
    const target = await provisionForTest(routeOf(connector, 'drizzle'), { durability, workload });
    try {
      const facts = await target.deployment.facts(AbortSignal.timeout(10_000));
      expect(facts).toMatchObject({ durability, isolation: 'serializable', writersMax: 1 });
      expect(facts.settings).toMatchObject({ journal_mode: 'wal', synchronous });
      expect(facts.system.version).toBe(process.versions['sqlite']);
      const profile = routeOf(connector, 'drizzle').fairProfile.find(
        ({ setting }) => setting === 'synchronous',
      );
      expect(profile?.accepted.includes(synchronous)).toBe(durability === 'durable');
      expect(profile?.acceptedAsync?.includes(synchronous)).toBe(durability === 'async');
    } finally {
      await target.close();
    }
  });
}
