import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import type { Deployment, SharedService, TargetOptions } from '@fair-bench/contract';
import { plainTargetSettings } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import connector from '../src/index.ts';

export const testOptions: TargetOptions = {
  ...plainTargetSettings,
  poolSize: 8,
  sessionsMax: 50,
  depthMax: 8,
};

/** Ends the test as skipped, with the reason, where no server can be had. */
export async function skipWithoutServer(skip: TestContext['skip']): Promise<void> {
  const availability = await connector.probe(testOptions);
  if (!availability.available) skip(`${availability.reason}; ${availability.remedy}`);
}

export interface TestDeployment {
  readonly deployment: Deployment;
  close(): Promise<void>;
}

/** The connector's target as the runner would start it, under a supervisor of its own. */
export async function provisionForTest(options: Partial<TargetOptions> = {}): Promise<TestDeployment> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  const supervisor = createSupervisor({ logDirectory });
  const services: SharedService[] = [];
  const close = async (): Promise<void> => {
    for (const service of services) await service.close();
    await supervisor.stopAll();
    await rm(logDirectory, { recursive: true });
  };
  try {
    const deployment = await connector.provision({
      target: connector.name,
      options: { ...testOptions, ...options },
      supervisor,
      signal: AbortSignal.timeout(30_000),
      async shared(_key, start) {
        const service = await start();
        services.push(service);
        return service;
      },
    });
    return {
      deployment,
      async close() {
        await deployment.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
