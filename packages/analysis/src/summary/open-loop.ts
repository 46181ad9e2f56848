import { type PassedTrial, type OpenLoopSummary, sustainedShareMin } from '@fair-bench/results';
import { sumCounts } from '../audit/evidence.ts';

/** What the trials of an open loop were offered and did; nothing for a closed one. */
export function openLoopOf(trials: readonly PassedTrial[]): { readonly openLoop?: OpenLoopSummary } {
  const all = trials.flatMap(({ result: { openLoop, window, timing } }) => {
    if (openLoop === null) return [];
    const { due, started } = openLoop;
    return [
      { due, started, achieved: window.applied + sumCounts(window.declined), windowMs: timing.windowMs },
    ];
  });
  if (all.length === 0) return {};
  const seconds = all.reduce((sum, { windowMs }) => sum + windowMs / 1000, 0);
  const perSecond = (part: 'due' | 'started' | 'achieved'): number =>
    all.reduce((sum, trial) => sum + trial[part], 0) / seconds;
  return {
    openLoop: {
      offeredPerSecond: perSecond('due'),
      startedPerSecond: perSecond('started'),
      achievedPerSecond: perSecond('achieved'),
      held: all.every(({ due, achieved }) => achieved >= sustainedShareMin * due),
    },
  };
}
