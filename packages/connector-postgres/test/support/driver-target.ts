import { type DataPlane, routeOf } from '@fair-bench/contract';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import client from '../../src/clients/driver.ts';
import connector from '../../src/index.ts';
import { boxes } from './boxes/workload.ts';

export interface TestDeployment extends LoneTarget {
  session(depth?: number): Promise<DataPlane>;
}

/** The driver's target, with sessions as the load client opens them. */
export async function provisionForTest(): Promise<TestDeployment> {
  const target = await startLoneTarget(routeOf(connector, 'driver'), { workload: boxes });
  return {
    ...target,
    async session(depth = 1) {
      const context = { index: 0, depth, signal: AbortSignal.timeout(10_000), workload: boxes.shape };
      return await client.connect(target.deployment.endpoint, context);
    },
  };
}
