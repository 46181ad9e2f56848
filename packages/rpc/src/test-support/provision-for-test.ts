import type { Connector, TargetOptions } from '@fair-bench/contract';
import { type LoneTarget, startLoneTarget } from '@fair-bench/supervisor';

/** A connector's target, with as many server processes as a small machine has cores. */
export async function provisionForTest(
  connector: Connector,
  options: Partial<TargetOptions> = {},
): Promise<LoneTarget> {
  return await startLoneTarget(connector, { processes: 2, poolSize: 4, ...options });
}
