import { fileURLToPath } from 'node:url';
import { describeConnector, targetWorkload } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { withKillableServer } from './killed-server.ts';

describeConnector(routeOf(connector, 'sdk'), fileURLToPath(new URL('../src/client.ts', import.meta.url)), {
  killable: async (use, workload) =>
    await withKillableServer({ confirmedReads: true, workload: targetWorkload(workload) }, use),
});
