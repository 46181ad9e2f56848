import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector, Deployment, TargetOptions } from '@fair-bench/contract';
import { plainTargetSettings } from '@fair-bench/contract';
import { createSupervisor } from '@fair-bench/supervisor';

export interface TestDeployment {
  readonly deployment: Deployment;
  close(): Promise<void>;
}

/** A connector's target as the runner would start it, under a supervisor of its own. */
export async function provisionForTest(
  connector: Connector,
  options: Partial<TargetOptions> = {},
): Promise<TestDeployment> {
  const logDirectory = await mkdtemp(join(tmpdir(), 'fair-bench-test-'));
  const supervisor = createSupervisor({ logDirectory });
  const deployment = await connector.provision({
    target: connector.name,
    options: {
      ...plainTargetSettings,
      processes: 2,
      poolSize: 4,
      sessionsMax: 50,
      depthMax: 8,
      ...options,
    },
    supervisor,
    signal: AbortSignal.timeout(50_000),
    shared: async (_key, start) => await start(),
  });
  return {
    deployment,
    async close() {
      await deployment.close();
      await supervisor.stopAll();
      await rm(logDirectory, { recursive: true });
    },
  };
}
