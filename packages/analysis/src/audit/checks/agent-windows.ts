import type { AgentShare } from '@fair-bench/results';
import { type Check, pass, type TrialEvidence, fail } from '../evidence.ts';

const skewShareMax = 0.01;
/** Clocks of several machines are compared over a network: a smaller skew cannot always be measured. */
const skewMsMin = 10;
/**
 * The runner may hear of a window later than the round trip explains, because the load client and the agent are busy: by
 * this share of the window, within these bounds.
 */
const heardShareMax = 0.1;
const heardMsMin = 60;
const heardMsMost = 150;
/**
 * The windows of all machines must coincide. A machine that begins late measures the target alone after the others
 * have ended, so the sum of their throughputs is true at no moment. The error of the clocks counts as skew. The
 * runner also times the events by its own clock, which no agent can adjust.
 */
export const checkAgentWindows = ({ result }: Pick<TrialEvidence, 'result'>): ReturnType<Check> => {
  const { agents } = result;
  if (agents === undefined) return pass;
  const first = Math.min(...agents.map(({ windowSkewMs }) => windowSkewMs));
  const skewMsMax = Math.max(skewMsMin, result.timing.windowMs * skewShareMax);
  for (const agent of agents) {
    const { name, windowSkewMs, clockErrorMs } = agent;
    const skewMs = windowSkewMs - first + clockErrorMs;
    if (skewMs > skewMsMax)
      return fail(
        'agent-windows',
        `the window of load agent ${name} began up to ${skewMs.toFixed(1)} ms after the first one's; the limit is ${skewMsMax.toFixed(1)} ms of a window of ${result.timing.windowMs.toFixed(0)} ms`,
        'give the agent a processor of its own and a faster network, or use a longer --duration',
      );
    const wrong = wrongClock(agent, result.timing.windowMs) ?? wrongLength(agent, result.timing.windowMs);
    if (wrong !== null)
      return fail(
        'agent-windows',
        `the window of load agent ${name} was ${wrong}`,
        'give the agent a processor of its own, and look at its clock (CLOCK_MONOTONIC)',
      );
  }
  return pass;
};

function heardMsMaxOf(windowMs: number): number {
  return Math.min(heardMsMost, Math.max(heardMsMin, heardShareMax * windowMs));
}

/** What is impossible about when the runner heard of the window; null when all is well. */
function wrongClock(
  { heardAfterMs, clockErrorMs, roundTripMs }: AgentShare,
  windowMsOfAll: number,
): string | null {
  if (heardAfterMs < -clockErrorMs) return `heard of ${(-heardAfterMs).toFixed(1)} ms before its clock says`;
  const lateMs = heardAfterMs - roundTripMs;
  return lateMs > heardMsMaxOf(windowMsOfAll)
    ? `heard of ${lateMs.toFixed(1)} ms later than its clock says`
    : null;
}

/** One slow clock among many hardly shows in what all did together. */
function wrongLength(
  { windowMs, windowMsHeard, roundTripMs }: AgentShare,
  windowMsOfAll: number,
): string | null {
  const said = `${windowMs.toFixed(0)} ms long by its clock`;
  if (Math.abs(windowMs - windowMsOfAll) > 1)
    return `${said}, that of the others ${windowMsOfAll.toFixed(0)} ms`;
  if (Math.abs(windowMsHeard - windowMs) <= heardMsMaxOf(windowMsOfAll) + roundTripMs) return null;
  return `${said}, ${windowMsHeard.toFixed(0)} ms by the runner's`;
}
