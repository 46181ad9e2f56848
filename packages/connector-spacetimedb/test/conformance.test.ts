import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import { describe } from 'vitest';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/client.ts', import.meta.url));

describeConnector(routeOf(connector, 'sdk'), client, { killable: true });

describe('called over HTTP, by scanning reducers', () => {
  describeConnector(routeOf(connector, 'sdk'), client, {
    workloads: ['counter'],
    drawnOperations: 200,
    durability: 'async',
    extra: { transport: 'http', reducers: 'scanning' },
  });
});
