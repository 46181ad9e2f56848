import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/clients/rpc.ts', import.meta.url));

describeConnector(routeOf(connector, 'drizzle'), client);
// It calls the functions that the driver is compared with over more draws and under load, behind the RPC server of the ORM:
// what differs from both is how it sends each workload's values and reads its replies.
const storedproc = { drawnOperations: 300 };
describeConnector(routeOf(connector, 'storedproc'), client, {
  ...storedproc,
  workloads: ['transfer'],
});
describeConnector(routeOf(connector, 'storedproc'), client, {
  ...storedproc,
  workloads: ['counter', 'isolation', 'order', 'ycsb'],
  parts: ['model'],
});
