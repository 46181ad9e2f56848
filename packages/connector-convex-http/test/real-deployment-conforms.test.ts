import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeConnector } from '@fair-bench/conformance';
import { testedDeployments } from '@fair-bench/convex';
import connector from '../src/index.ts';

const deployments = testedDeployments();
const clientModulePath = fileURLToPath(new URL('../src/client.ts', import.meta.url));

test('there is a real deployment to conform', ({ skip }) => {
  if (deployments.length === 0)
    skip('name one by CONVEX_TEST_URL, and its key by CONVEX_SELF_HOSTED_ADMIN_KEY');
  expect(deployments).toHaveLength(1);
});

for (const deployment of deployments) describeConnector(connector, clientModulePath, deployment);
