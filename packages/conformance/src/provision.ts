import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Route, type Deployment, type TargetOptions, plainTargetSettings } from '@fair-bench/contract';
import { SharedServices } from '@fair-bench/runner';
import { createSupervisor } from '@fair-bench/supervisor';

const provisionTimeoutMs = 60_000;

/** What a small target is told: enough for every test here. */
export const smallTarget: TargetOptions = {
  ...plainTargetSettings,
  processes: 2,
  poolSize: 8,
  sessionsMax: 16,
  depthMax: 8,
};

/** Targets that run for real, and a scratch folder for logs and ledgers; all of it is gone after `close`. */
export interface Bench {
  readonly directory: string;
  /** Starts a target as the runner would; targets of one bench share services as those of a run do. */
  provision(route: Route, options?: Partial<TargetOptions>): Promise<Deployment>;
  close(): Promise<void>;
}

export async function openBench(): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-conformance-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const services = new SharedServices();
  const deployments = new Map<string, Deployment>();
  return {
    directory,
    async provision(route, options = {}) {
      const target = route.name;
      const deployment = await route.provision({
        target,
        options: { ...smallTarget, ...options },
        supervisor,
        signal: AbortSignal.timeout(provisionTimeoutMs),
        shared: async (key, start) => await services.acquire(target, key, start),
      });
      deployments.set(target, deployment);
      return deployment;
    },
    async close() {
      try {
        for (const [target, deployment] of deployments) {
          await deployment.close();
          await services.release(target);
        }
      } finally {
        await supervisor.stopAll();
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}
