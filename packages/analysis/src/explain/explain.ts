import {
  type ExplainDesign,
  type Explanation,
  type FactorEffect,
  type HeldTrial,
  type RunPlan,
  type TrialRecord,
  isHeld,
  pairedRatio,
} from '@fair-bench/results';
import type { Interval } from '@fair-bench/contract';
import { attribute, type LogEffect, weightsOf } from './attribute.ts';
import { jointIntervals } from './intervals.ts';
import type { Mask } from './lattice.ts';
import { type GroupedLattice, groupedLattice } from './merge.ts';

/**
 * Takes the gap between the two ends of a design apart, from the trials of its cells: pure. Cells without a
 * number (void, unavailable) are left out, and with them the orders that pass through them. Null when an end
 * has no number.
 */
export function explainTrials(
  design: ExplainDesign,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): Explanation | null {
  const logs = logsByMask(design, plan, trials);
  const grouped = groupedLattice(design.changes.length, (mask) => logs.has(mask));
  const [from, to] = [logs.get(0), logs.get(2 ** design.changes.length - 1)];
  if (grouped === null || from === undefined || to === undefined) return null;
  const effects = effectsOf(grouped, logs, BigInt(plan.seed));
  const factors = effects.map((effect, index) => describe(effect, grouped.groups[index] ?? [], design));
  const isResidual = factors.map(({ changes }) => changes.some(({ isArchitecture }) => isArchitecture));
  const residual = factors.find((_, index) => isResidual[index] === true);
  const together =
    residual?.changes.filter(({ isArchitecture }) => !isArchitecture).map(({ name }) => name) ?? [];
  const residualIncludes = residual === undefined ? [] : [...together, ...design.withArchitecture];
  const { ratio, ci95 } = pairedRatio(
    from.map((log, round) => ({ baseline: Math.exp(log), contender: Math.exp(to[round] ?? 0) })),
  );
  const skipped = [...design.skipped, ...unmeasured(design, logs)];
  const isExact = design.leftOut === 0 && design.cells.every(({ mask }) => logs.has(mask));
  return {
    from: design.from,
    to: design.to,
    ratio,
    ci95,
    factors: factors.filter((_, index) => isResidual[index] === false).map(({ factor }) => factor),
    residual: residual?.factor.multiplier ?? 1,
    residualCi95: residual?.factor.ci95 ?? null,
    ...(residualIncludes.length === 0 ? {} : { residualIncludes }),
    cellsMeasured: logs.size,
    cellsSkipped: skipped.length,
    skipped,
    orders: { count: grouped.lattice.orders, exact: isExact },
  };
}

/** For each mask that was measured in every round: the logarithm of its throughput, by round. */
function logsByMask(
  { cells }: ExplainDesign,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): ReadonlyMap<Mask, readonly number[]> {
  const logs = new Map<Mask, readonly number[]>();
  const isWhole = plan.rounds.map((ids) => cells.every(({ cellId }) => ids.includes(cellId)));
  const whole = isWhole.filter(Boolean).length;
  const held = Map.groupBy(
    trials.filter(isHeld).filter(({ round }) => isWhole[round] === true),
    ({ cellId }) => cellId,
  );
  for (const { mask, cellId } of cells) {
    const byRound = (held.get(cellId) ?? []).toSorted(byRoundNumber);
    if (byRound.length === 0 || byRound.length !== whole || byRound.some(({ tps }) => !(tps > 0))) continue;
    logs.set(
      mask,
      byRound.map(({ tps }) => Math.log(tps)),
    );
  }
  return logs;
}

function byRoundNumber(a: HeldTrial, b: HeldTrial): number {
  return a.round - b.round;
}

interface EffectWithInterval extends LogEffect {
  readonly interval: Interval | null;
}

/** The effects on the mean logarithms over rounds. */
function effectsOf(
  { lattice, ungrouped }: GroupedLattice,
  logs: ReadonlyMap<Mask, readonly number[]>,
  seed: bigint,
): readonly EffectWithInterval[] {
  const at = (mask: Mask): readonly number[] => logs.get(ungrouped(mask)) ?? [];
  const weights = weightsOf(lattice).map((ofMasks) => lattice.masks.map((mask) => ofMasks.get(mask) ?? 0));
  const intervals = jointIntervals({ cells: lattice.masks.map(at), weights }, seed);
  const effects = attribute(lattice, (mask) => meanOf(at(mask)));
  return effects.map((effect, index) => ({ ...effect, interval: intervals[index] ?? null }));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function describe(
  { mean, min, max, interval }: EffectWithInterval,
  group: readonly number[],
  design: ExplainDesign,
): { readonly changes: ExplainDesign['changes']; readonly factor: FactorEffect } {
  const changes = group.flatMap((index) => design.changes[index] ?? []);
  const joined = (part: 'name' | 'from' | 'to'): string => changes.map((change) => change[part]).join(' + ');
  const factor = {
    name: joined('name'),
    from: joined('from'),
    to: joined('to'),
    multiplier: Math.exp(mean),
    ci95: interval === null ? null : ([Math.exp(interval[0]), Math.exp(interval[1])] satisfies Interval),
    min: Math.exp(min),
    max: Math.exp(max),
  };
  return { changes, factor };
}

function unmeasured(
  { cells }: ExplainDesign,
  logs: ReadonlyMap<Mask, readonly number[]>,
): Explanation['skipped'] {
  return cells
    .filter(({ mask }) => !logs.has(mask))
    .map(({ cellId }) => ({
      cell: cellId,
      reason: 'it has no number in this run: the table of cells says why',
    }));
}
