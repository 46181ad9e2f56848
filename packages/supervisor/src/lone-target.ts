import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Route,
  type Deployment,
  plainTargetSettings,
  type SharedService,
  type TargetOptions,
} from '@fair-bench/contract';
import { createSupervisor } from './supervisor.ts';

const provisionTimeoutMs = 50_000;

/** A target with no run around it. */
export interface LoneTarget {
  readonly deployment: Deployment;
  /** A folder of its own, with its logs; gone after `close`. */
  readonly directory: string;
  /** Ends the deployment, the services under it and every process. */
  close(): Promise<void>;
}

/** What a lone target is told where its caller says nothing else. */
export const loneTargetOptions: TargetOptions = {
  ...plainTargetSettings,
  poolSize: 8,
  sessionsMax: 50,
  depthMax: 8,
};

/**
 * Starts a route's target as a run would, under a supervisor of its own: for tests and benches of one
 * package. Rejects as the route does, and then leaves nothing behind.
 */
export async function startLoneTarget(
  route: Route,
  options: Partial<TargetOptions> = {},
): Promise<LoneTarget> {
  const directory = await mkdtemp(join(tmpdir(), 'fair-bench-lone-'));
  const supervisor = createSupervisor({ logDirectory: directory });
  const services: SharedService[] = [];
  const end = async (): Promise<void> => {
    for (const service of services) await service.close();
    await supervisor.stopAll();
    await rm(directory, { recursive: true });
  };
  try {
    const deployment = await route.provision({
      target: route.name,
      options: { ...loneTargetOptions, ...options },
      supervisor,
      signal: AbortSignal.timeout(provisionTimeoutMs),
      async shared(_key, start) {
        const service = await start();
        services.push(service);
        return service;
      },
    });
    return {
      deployment,
      directory,
      async close() {
        try {
          await deployment.close();
        } finally {
          await end();
        }
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
