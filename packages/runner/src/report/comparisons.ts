import type { Cell, Comparison, RunPlan } from '@fair-bench/contract';
import { pairedRatio } from '../statistics/index.ts';
import { type HeldTrial, isHeld, type TrialRecord } from './trial-record.ts';

/**
 * Every pair of targets in every combination that both were measured in: the same load client, workload,
 * parameters, sessions and depth. The baseline is the one that comes first in the plan. Cells without a
 * number (void, interrupted, unavailable) are in no comparison.
 */
export function compareCells(plan: RunPlan, trials: readonly TrialRecord[]): Comparison[] {
  const measured = plan.targets.flatMap(({ target }) =>
    plan.cells.flatMap((cell) => {
      if (cell.target !== target) return [];
      const held = trials.filter(({ cellId }) => cellId === cell.id).filter(isHeld);
      return held.length === plan.rounds.length && held.every(({ tps }) => tps > 0) ? [{ cell, held }] : [];
    }),
  );
  return measured.flatMap((baseline, index) =>
    measured
      .slice(index + 1)
      .filter(({ cell }) => cell.target !== baseline.cell.target)
      .filter(({ cell }) => combinationOf(cell) === combinationOf(baseline.cell))
      .map((contender) => compare(baseline, contender)),
  );
}

interface MeasuredCell {
  readonly cell: Cell;
  readonly held: readonly HeldTrial[];
}

function compare(baseline: MeasuredCell, contender: MeasuredCell): Comparison {
  const { client, workload, alpha, depth, sessions, ratePerSecond } = baseline.cell;
  const rounds = baseline.held.flatMap(({ round, tps }) => {
    const same = contender.held.find((trial) => trial.round === round);
    return same === undefined ? [] : [{ baseline: tps, contender: same.tps }];
  });
  const targets = { baseline: baseline.cell.target, contender: contender.cell.target };
  const rate = ratePerSecond === undefined ? {} : { ratePerSecond };
  return { ...targets, client, workload, alpha, depth, sessions, ...rate, ...pairedRatio(rounds) };
}

function combinationOf({
  client,
  workload,
  parameters,
  depth,
  sessions,
  threads,
  ratePerSecond,
}: Cell): string {
  const sorted = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([client, workload, sorted, depth, sessions, threads, ratePerSecond]);
}
