import { afterAll, beforeAll } from 'vitest';
import { targetWorkload, type workloadNamed } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import connector from '../../src/index.ts';

/** Starts a MariaDB with this workload for the tests of one file. `lacking` is the reason where none can be started. */
export async function loneMariaDb(
  workload: Awaited<ReturnType<typeof workloadNamed>>,
): Promise<{ readonly lacking: string | null; readonly target: () => LoneTarget }> {
  const route = routeOf(connector, 'driver');
  const options = { ...loneTargetOptions, workload: targetWorkload(workload) };
  const availability = await route.probe(options);
  const lacking = availability.available ? null : `${availability.reason}; ${availability.remedy}`;
  let started: LoneTarget | null = null;
  beforeAll(async () => {
    if (lacking === null) started = await startLoneTarget(route, options);
  });
  afterAll(async () => {
    await started?.close();
  });
  return {
    lacking,
    target: () => {
      if (started === null) throw new Error('MariaDB was not started');
      return started;
    },
  };
}
