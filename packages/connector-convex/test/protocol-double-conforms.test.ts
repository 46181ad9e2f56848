import { fileURLToPath } from 'node:url';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { describeOnProtocolDouble } from './support/index.ts';

const client = (name: string): string => fileURLToPath(new URL(`../src/clients/${name}.ts`, import.meta.url));

await describeOnProtocolDouble(routeOf(connector, 'http'), client('http'));
await describeOnProtocolDouble(routeOf(connector, 'sdk'), client('sdk'));
