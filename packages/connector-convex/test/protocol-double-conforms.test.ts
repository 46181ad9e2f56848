import { fileURLToPath } from 'node:url';
import { routeOf } from '@fair-bench/contract';
import { everyTest } from '@fair-bench/contract/test-support';
import connector from '../src/index.ts';
import { describeOnProtocolDouble } from './support/index.ts';

const client = (name: string): string => fileURLToPath(new URL(`../src/clients/${name}.ts`, import.meta.url));

// The evidence is the server's and read in one way for both routes: commits-of-a-seen-disk-are-durable.test.ts.
const setting = { isDiskSeen: false, parts: ['model', 'tables', 'sessions', 'trials'] } as const;
const one = everyTest ? {} : { workloads: ['transfer'] };
await describeOnProtocolDouble(routeOf(connector, 'http'), client('http'), { ...setting, ...one });
// Its functions and its double are those of the other route.
const some = everyTest ? {} : { workloads: ['counter'], parts: ['model', 'sessions'] as const };
await describeOnProtocolDouble(routeOf(connector, 'sdk'), client('sdk'), { ...setting, ...some });
