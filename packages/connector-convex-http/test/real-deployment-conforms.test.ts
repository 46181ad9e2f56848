import { fileURLToPath } from 'node:url';
import { describeOnRealDeployments } from '@fair-bench/convex/test-support';
import connector from '../src/index.ts';

describeOnRealDeployments(connector, fileURLToPath(new URL('../src/client.ts', import.meta.url)));
