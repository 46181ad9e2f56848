import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Session, SharedService, TargetOptions, Transfer } from '@fair-bench/contract';
import { plainTargetSettings } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';
import client from '../src/client.ts';
import connector from '../src/index.ts';

export interface TestDeployment {
  readonly deployment: Deployment;
  session(depth?: number): Promise<Session<Transfer>>;
  close(): Promise<void>;
}

/** The connector's target as the runner would start it, under a supervisor of its own. */
export async function provisionForTest(options: Partial<TargetOptions> = {}): Promise<TestDeployment> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  const supervisor = createSupervisor({ logDirectory });
  const services: SharedService[] = [];
  const deployment = await connector.provision({
    target: connector.name,
    options: {
      ...plainTargetSettings,
      poolSize: 8,
      sessionsMax: 50,
      depthMax: 8,
      ...options,
    },
    supervisor,
    signal: AbortSignal.timeout(50_000),
    async shared(_key, start) {
      const service = await start();
      services.push(service);
      return service;
    },
  });
  return {
    deployment,
    async session(depth = 1) {
      const connect = client.sessions.transfer;
      if (connect === undefined) throw new Error('the client has no transfer sessions');
      return await connect(deployment.endpoint, { index: 0, depth, signal: AbortSignal.timeout(10_000) });
    },
    async close() {
      await deployment.close();
      for (const service of services) await service.close();
      await supervisor.stopAll();
      await rm(logDirectory, { recursive: true });
    },
  };
}
