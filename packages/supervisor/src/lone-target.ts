import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, defaultTargetSettings, type Route, type TargetOptions } from '@fair-bench/contract';
import { Deployments } from './deployments.ts';
import { createSupervisor } from './supervisor.ts';

const provisionTimeoutMs = 60_000;

/** A target outside of a run. */
export interface LoneTarget {
  readonly deployment: Deployment;
  /** Its own folder, with its logs; removed by `close`. */
  readonly directory: string;
  /** Starts another target, which shares services with it as in a run; closed with it. */
  beside(route: Route, options: TargetOptions): Promise<Deployment>;
  /** Ends the deployment, the services under it and every process. */
  close(): Promise<void>;
}

/** The default options of a lone target. */
export const loneTargetOptions: TargetOptions = {
  ...defaultTargetSettings,
  poolSize: 8,
  sessionsMax: 50,
  depthMax: 8,
  threadsMax: 1,
  batchMax: 16,
  workload: null,
};

/**
 * Starts a route's target as a run does, under its own supervisor: for tests. Rejects as the route does, and then
 * leaves nothing behind.
 */
export async function startLoneTarget(
  route: Route,
  options: Partial<TargetOptions> = {},
): Promise<LoneTarget> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-lone-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const deployments = new Deployments({ supervisor, signal: AbortSignal.timeout(provisionTimeoutMs) });
  const close = async (): Promise<void> => {
    const failures = await deployments.closeAll();
    await supervisor.stopAll();
    await rm(directory, { recursive: true, force: true });
    if (failures.length > 0) throw new Error(failures.join('; '));
  };
  try {
    const all = { ...loneTargetOptions, ...options };
    let others = 0;
    return {
      deployment: await deployments.ensure(route.name, route, all),
      directory,
      async beside(other, settings) {
        others += 1;
        return await deployments.ensure(`${other.name}-beside-${others}`, other, settings);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
