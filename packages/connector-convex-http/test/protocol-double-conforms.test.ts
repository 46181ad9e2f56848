import { fileURLToPath } from 'node:url';
import { afterAll, vi } from 'vitest';
import { describeConnector } from '@fair-bench/conformance';
import { startDoubleProcess } from '@fair-bench/convex/test-support';
import connector from '../src/index.ts';

// Not a run of Convex: the connector's own code, against our functions behind a double of its protocols.
const double = await startDoubleProcess();
vi.stubEnv('CONVEX_KEY_OF_THE_DOUBLE', double.adminKey);
afterAll(async () => {
  vi.unstubAllEnvs();
  await double.close();
});

describeConnector(connector, fileURLToPath(new URL('../src/client.ts', import.meta.url)), {
  url: double.url,
  extra: {
    adminKeyVariable: 'CONVEX_KEY_OF_THE_DOUBLE',
    deploy: 'never',
    dataDirectory: double.dataDirectory,
  },
});
