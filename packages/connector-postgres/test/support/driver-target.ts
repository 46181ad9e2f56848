import type { Session, Transfer } from '@fair-bench/contract';
import { routeOf } from '@fair-bench/contract';
import { transferSessions, transferTarget } from '@fair-bench/conformance';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import client from '../../src/clients/driver.ts';
import connector from '../../src/index.ts';

export interface TestDeployment extends LoneTarget {
  session(depth?: number): Promise<Session<Transfer>>;
}

/** The driver's target, with sessions as the load client opens them. */
export async function provisionForTest(): Promise<TestDeployment> {
  const target = await startLoneTarget(routeOf(connector, 'driver'), { workload: transferTarget });
  return {
    ...target,
    async session(depth = 1) {
      const { endpoint } = target.deployment;
      return await transferSessions(client)(endpoint, {
        index: 0,
        depth,
        signal: AbortSignal.timeout(10_000),
      });
    },
  };
}
