import { type ConformanceOptions, describeConnector } from '@fair-bench/conformance';
import type { Route } from '@fair-bench/contract';
import { afterAll, expect, test, vi } from 'vitest';
import { startDoubleProcess } from './double-process.ts';
import { doubled } from './transfers.ts';

const keyVariable = 'CONVEX_KEY_OF_THE_DOUBLE';

interface DoubleSetting extends Pick<ConformanceOptions, 'workloads' | 'parts'> {
  /**
   * Whether the connector sees the double's disk. Its commits are durable then, and judged by the flushes of the disk, as
   * far as they are not those of other programs in a quiet moment: no other test may run meanwhile.
   */
  readonly isDiskSeen: boolean;
}

/**
 * The conformance kit, not against Convex: the connector's own code and our functions, behind a double of its
 * protocols.
 */
export async function describeOnProtocolDouble(
  route: Route,
  clientModulePath: string,
  { isDiskSeen, workloads = [...doubled.keys()], ...parts }: DoubleSetting,
): Promise<void> {
  for (const workload of workloads) {
    const double = await startDoubleProcess(workload);
    // Every double has the same key.
    vi.stubEnv(keyVariable, double.adminKey);
    afterAll(async () => await double.close());
    const { url, dataDirectory } = double;
    const disk = isDiskSeen ? { dataDirectory } : {};
    const durability = isDiskSeen ? 'durable' : 'async';
    const extra = { adminKeyVariable: keyVariable, deploy: 'never', ...disk };
    // The double takes 40 ms per operation, because it runs Convex functions in a simulation; windows follow the latency.
    const few = { drawnOperations: 150, sessions: 2 };
    const setting = { workloads: [workload], url, extra, durability, ...parts, ...few } as const;
    describeConnector(route, clientModulePath, setting);
  }
  afterAll(() => vi.unstubAllEnvs());
}

/** The conformance kit against the deployments that the environment names; a skipped test says how to name one. */
export function describeOnRealDeployments(route: Route, clientModulePath: string): void {
  const deployments = testedDeployments();
  test('there is a real deployment to conform', ({ skip }) => {
    if (deployments.length === 0)
      skip('name one by CONVEX_TEST_URL, and its key by CONVEX_SELF_HOSTED_ADMIN_KEY');
    expect(deployments).toHaveLength(1);
  });
  for (const deployment of deployments) describeConnector(route, clientModulePath, deployment);
}

/**
 * A real deployment that the tests may push to, seed and write: `CONVEX_TEST_URL`, with its admin key in
 * `CONVEX_SELF_HOSTED_ADMIN_KEY`, and its data folder in `CONVEX_TEST_DATA_DIRECTORY` if this machine can read it.
 * Empty if none is named.
 */
function testedDeployments(): readonly { url: string; extra: Record<string, string> }[] {
  const { CONVEX_TEST_URL: url = '', CONVEX_TEST_DATA_DIRECTORY: dataDirectory = '' } = process.env;
  return url === '' ? [] : [{ url, extra: dataDirectory === '' ? {} : { dataDirectory } }];
}
