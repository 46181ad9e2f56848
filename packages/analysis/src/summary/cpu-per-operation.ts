import { overRoles } from '@fair-bench/contract';
import type { PassedTrial } from '@fair-bench/results';

/** CPU microseconds of the load client for each applied operation. */
export function clientCpuUsOf({ cpuUs, result }: Pick<PassedTrial, 'cpuUs' | 'result'>): number {
  return cpuUs.client / result.window.applied;
}

/** CPU microseconds of the servers for each applied operation; null where one could not be seen, as at a server of the user's. */
export function serverCpuUsOf({ cpuUs, result, factsAfter }: PassedTrial): number | null {
  if (factsAfter.provider === 'url') return null;
  const served = overRoles(cpuUs) ?? 0;
  return served > 0 && result.window.applied > 0 ? served / result.window.applied : null;
}
