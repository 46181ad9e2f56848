import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import connector from '../src/index.ts';

const clientModulePath = fileURLToPath(new URL('../src/client.ts', import.meta.url));
describeConnector(connector, clientModulePath, { appRuntime: 'bun' });
