import { fileURLToPath } from 'node:url';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { describeOnProtocolDouble } from './support/index.ts';

const client = fileURLToPath(new URL('../src/clients/http.ts', import.meta.url));

// The disk is the server's, which is the same for both routes and every workload.
await describeOnProtocolDouble(routeOf(connector, 'http'), client, {
  isDiskSeen: true,
  workloads: ['transfer'],
  parts: ['evidence', 'trials'],
});
