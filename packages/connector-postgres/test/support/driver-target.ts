import type { Session, Transfer } from '@fair-bench/contract';
import { routeOf } from '@fair-bench/contract';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';
import client from '../../src/clients/driver.ts';
import connector from '../../src/index.ts';

export interface TestDeployment extends LoneTarget {
  session(depth?: number): Promise<Session<Transfer>>;
}

/** The driver's target, with sessions as the load client opens them. */
export async function provisionForTest(): Promise<TestDeployment> {
  const target = await startLoneTarget(routeOf(connector, 'driver'));
  return {
    ...target,
    async session(depth = 1) {
      const connect = client.sessions.transfer;
      if (connect === undefined) throw new Error('the client has no transfer sessions');
      const { endpoint } = target.deployment;
      return await connect(endpoint, { index: 0, depth, signal: AbortSignal.timeout(10_000) });
    },
  };
}
