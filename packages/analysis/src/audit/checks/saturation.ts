import { type Check, holds, warns } from '../evidence.ts';

const loopUtilizationMax = 0.95;

/** When the load client is busy all the time, the number may be its own and not the target's. */
export const checkSaturation: Check = ({ result }) => {
  const { loopUtilization } = result.effort;
  if (loopUtilization === null || loopUtilization <= loopUtilizationMax) return holds;
  return warns(
    'client-saturated',
    `the load client was busy ${(loopUtilization * 100).toFixed(0)} % of the window: it may be the limit`,
    'use more --threads, or a machine with more cores for the load client',
  );
};
