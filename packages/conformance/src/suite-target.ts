import type { Route, TargetSettings } from '@fair-bench/contract';
import { type LoneTarget, loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { afterAll, beforeAll } from 'vitest';
import { targetWorkload } from '@fair-bench/workload';

const startMsMax = 60_000;

/** Starts a target with a workload for the tests of a file or a suite. `lacking` is the reason where none can be started. */
export async function suiteTarget(
  route: Route,
  workload: Parameters<typeof targetWorkload>[0],
  settings: Partial<TargetSettings> = {},
): Promise<{ readonly lacking: string | null; readonly target: () => LoneTarget }> {
  const options = { ...loneTargetOptions, ...settings, workload: targetWorkload(workload) };
  const availability = await route.probe(options);
  const lacking = availability.available ? null : `${availability.reason}; ${availability.remedy}`;
  let started: LoneTarget | null = null;
  beforeAll(async () => {
    if (lacking === null) started = await startLoneTarget(route, options);
  }, startMsMax);
  afterAll(async () => {
    await started?.close();
  });
  return {
    lacking,
    target: () => {
      if (started === null) throw new Error(`${route.name} was not started`);
      return started;
    },
  };
}
