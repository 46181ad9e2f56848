import { fileURLToPath } from 'node:url';
import { describeNativeClient } from '@fair-bench/conformance';
import { routeOf } from '@fair-bench/contract';
import connector from '../src/index.ts';

const client = fileURLToPath(new URL('../src/clients/driver.ts', import.meta.url));

describeNativeClient(routeOf(connector, 'driver'), client, 'postgres');
