import { isInLoadClient } from '@fair-bench/contract';
import { type Check, pass, type TrialEvidence, warn } from '../evidence.ts';

const loopUtilizationMax = 0.95;

/** A load client that is always busy may measure itself instead of the target; an engine inside it keeps it busy. */
export const checkSaturation: Check = ({ factsBefore, result }) => {
  if (isInLoadClient(factsBefore)) return pass;
  const { name, utilization } = busiest(result);
  if (utilization === null || utilization <= loopUtilizationMax) return pass;
  return warn(
    'client-saturated',
    `${name} was busy ${(utilization * 100).toFixed(0)} % of the window: it may be the limit`,
    'use more --threads, a machine with more cores for the load client, or several by --load-agents',
  );
};

/** The busiest load client: with several machines, one at its limit slows the sum. */
function busiest({ agents, effort }: TrialEvidence['result']): { name: string; utilization: number | null } {
  if (agents === undefined) return { name: 'the load client', utilization: effort.loopUtilization };
  const [first] = agents.toSorted((a, b) => b.utilization - a.utilization);
  return { name: `load agent ${first?.name}`, utilization: first?.utilization ?? null };
}
