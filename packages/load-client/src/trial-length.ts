import type { TrialPlan } from '@fair-bench/results/protocol';

/** The most that a window's start lies ahead, that its order is waited for, and that timers of a busy thread are late. */
const slackMs = 8000;

/** The longest time from the first operation to the end of the drain: the size of the series. */
export function trialMsMax(timing: TrialPlan['timing']): number {
  return Math.max(timing.warmupMs, timing.warmupMsMax) + timing.windowMs + timing.drainMs + slackMs;
}
