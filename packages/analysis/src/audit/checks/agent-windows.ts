import { type Check, holds, type TrialEvidence, voids } from '../evidence.ts';

const skewShareMax = 0.01;
/** Clocks of machines are compared over a network: less cannot always be measured. */
const skewMsMin = 10;

/**
 * Windows of several machines that lie side by side. A machine that begins late is measured after the others have ended, with
 * the target to itself: the sum of their throughput is then that of no moment. The clocks' error counts as skew.
 */
export const checkAgentWindows = ({ result }: Pick<TrialEvidence, 'result'>): ReturnType<Check> => {
  const { agents } = result;
  if (agents === undefined) return holds;
  const first = Math.min(...agents.map(({ windowSkewMs }) => windowSkewMs));
  const skewMsMax = Math.max(skewMsMin, result.timing.windowMs * skewShareMax);
  for (const { name, windowSkewMs, clockErrorMs } of agents) {
    const skewMs = windowSkewMs - first + clockErrorMs;
    if (skewMs <= skewMsMax) continue;
    return voids(
      'agent-windows',
      `the window of load agent ${name} began up to ${skewMs.toFixed(1)} ms after the first one's; at most ${skewMsMax.toFixed(1)} ms of ${result.timing.windowMs.toFixed(0)} may lie between them`,
      'give the agent a processor of its own and a faster network, or use a longer --duration',
    );
  }
  return holds;
};
