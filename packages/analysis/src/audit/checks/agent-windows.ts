import type { AgentShare } from '@fair-bench/results';
import { type Check, holds, type TrialEvidence, voids } from '../evidence.ts';

const skewShareMax = 0.01;
/** Clocks of machines are compared over a network: less cannot always be measured. */
const skewMsMin = 10;
/** Beside the round trip, how late the runner may hear of a window: the load client and the agent are busy. */
const heardMsMax = 150;

/**
 * Windows of several machines that lie side by side. A machine that begins late is measured after the others have ended, with
 * the target to itself: the sum of their throughput is then that of no moment. The clocks' error counts as skew; and that a
 * window began is heard by the runner's own clock, which no agent's clock can mend.
 */
export const checkAgentWindows = ({ result }: Pick<TrialEvidence, 'result'>): ReturnType<Check> => {
  const { agents } = result;
  if (agents === undefined) return holds;
  const first = Math.min(...agents.map(({ windowSkewMs }) => windowSkewMs));
  const skewMsMax = Math.max(skewMsMin, result.timing.windowMs * skewShareMax);
  for (const agent of agents) {
    const { name, windowSkewMs, clockErrorMs } = agent;
    const skewMs = windowSkewMs - first + clockErrorMs;
    if (skewMs > skewMsMax)
      return voids(
        'agent-windows',
        `the window of load agent ${name} began up to ${skewMs.toFixed(1)} ms after the first one's; at most ${skewMsMax.toFixed(1)} ms of ${result.timing.windowMs.toFixed(0)} may lie between them`,
        'give the agent a processor of its own and a faster network, or use a longer --duration',
      );
    const wrong = wrongClock(agent) ?? wrongLength(agent, result.timing.windowMs);
    if (wrong !== null)
      return voids(
        'agent-windows',
        `the window of load agent ${name} was ${wrong}`,
        'give the agent a processor of its own, and look at its clock (CLOCK_MONOTONIC)',
      );
  }
  return holds;
};

/** How the runner heard of the window at a time at which the agent cannot have had it; null when all is well. */
function wrongClock({ heardAfterMs, clockErrorMs, roundTripMs }: AgentShare): string | null {
  if (heardAfterMs < -clockErrorMs) return `heard of ${(-heardAfterMs).toFixed(1)} ms before its clock says`;
  const lateMs = heardAfterMs - roundTripMs;
  return lateMs > heardMsMax ? `heard of ${lateMs.toFixed(1)} ms later than its clock says` : null;
}

/** One slow clock among many hardly shows in what all did together. */
function wrongLength(
  { windowMs, windowMsHeard, roundTripMs }: AgentShare,
  windowMsOfAll: number,
): string | null {
  const said = `${windowMs.toFixed(0)} ms long by its clock`;
  if (Math.abs(windowMs - windowMsOfAll) > 1)
    return `${said}, that of the others ${windowMsOfAll.toFixed(0)} ms`;
  if (Math.abs(windowMsHeard - windowMs) <= heardMsMax + roundTripMs) return null;
  return `${said}, ${windowMsHeard.toFixed(0)} ms by the runner's`;
}
