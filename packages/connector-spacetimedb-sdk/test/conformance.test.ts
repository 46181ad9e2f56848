import { fileURLToPath } from 'node:url';
import { describeConnector } from '@fair-bench/conformance';
import connector from '../src/index.ts';

describeConnector(connector, fileURLToPath(new URL('../src/client.ts', import.meta.url)));
