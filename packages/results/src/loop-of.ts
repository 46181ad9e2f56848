import type { Cell, RunPlan } from './run-plan.ts';
import type { Loop } from './trial-plan.ts';

/** The pace of a cell's load: its own rate if it has one, otherwise the plan's. */
export function loopOf({ loop }: Pick<RunPlan, 'loop'>, { ratePerSecond }: Cell): Loop {
  return ratePerSecond === undefined ? loop : { kind: 'open', ratePerSecond };
}

/** The loops of some cells in words: `closed`, or `open, 1000, 2000 operations per second`. */
export function describeLoops(plan: Pick<RunPlan, 'loop'>, cells: readonly Cell[]): string {
  const loops = cells.length === 0 ? [plan.loop] : cells.map((cell) => loopOf(plan, cell));
  const rates = loops.flatMap((loop) => (loop.kind === 'open' ? [loop.ratePerSecond] : []));
  if (rates.length === 0) return 'closed';
  const each = [...new Set(rates)].toSorted((a, b) => a - b);
  return `open, ${each.join(', ')} operations per second`;
}
