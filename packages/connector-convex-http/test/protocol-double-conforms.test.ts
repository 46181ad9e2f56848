import { fileURLToPath } from 'node:url';
import { describeOnProtocolDouble } from '@fair-bench/convex/test-support';
import connector from '../src/index.ts';

await describeOnProtocolDouble(connector, fileURLToPath(new URL('../src/client.ts', import.meta.url)));
