import { fileURLToPath } from 'node:url';
import { describeConnector, targetWorkload } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { withKillableServer } from './support/killable-server.ts';

const client = (name: string): string => fileURLToPath(new URL(`../src/clients/${name}.ts`, import.meta.url));

describeConnector(routeOf(connector, 'drizzle'), client('rpc'));
describeConnector(routeOf(connector, 'storedproc'), client('rpc'));
describeConnector(
  routeOf(connector, 'driver'),
  client('driver'),
  // It finds the processes in /proc, which only Linux has.
  process.platform === 'linux'
    ? {
        killable: async (use, workload) =>
          await withKillableServer({ durability: 'durable', workload: targetWorkload(workload) }, use),
      }
    : undefined,
);
