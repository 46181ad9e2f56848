import type { TrialPlan } from '@fair-bench/results/protocol';

/** The most that the start of a window lies ahead, that its order is waited for, and that timers of a busy thread are late. */
const slackMs = 8000;

/** The longest from the first operation to the end of the drain: what the series has room for. */
export function trialMsMax(timing: TrialPlan['timing']): number {
  return Math.max(timing.warmupMs, timing.warmupMsMax) + timing.windowMs + timing.drainMs + slackMs;
}
