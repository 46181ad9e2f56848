import { fileURLToPath } from 'node:url';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';
import { describeOnRealDeployments } from './support/index.ts';

const client = (name: string): string => fileURLToPath(new URL(`../src/clients/${name}.ts`, import.meta.url));

describeOnRealDeployments(routeOf(connector, 'http'), client('http'));
describeOnRealDeployments(routeOf(connector, 'sdk'), client('sdk'));
