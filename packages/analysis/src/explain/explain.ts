import {
  type ExplainDesign,
  type Explanation,
  type FactorEffect,
  type LogEstimate,
  type RunPlan,
  type TrialRecord,
  intervalOf,
  isPassed,
  sampleMean,
  ratioEstimateOf,
} from '@fair-bench/results';
import type { Interval } from '@fair-bench/contract';
import { attribute, type LogEffect, weightsOf } from './attribute.ts';
import { cellEffects, type Logs } from './cell-effects.ts';
import type { Combination } from './change-orders.ts';
import { type GroupedOrders, groupedOrders } from './merge.ts';

/**
 * Explains the gap between the two ends of a design from the trials of its cells. Pure. Cells without a number (void,
 * unavailable) are left out, with the orders that pass through them. Null when an end has no number.
 */
export function explainTrials(
  design: ExplainDesign,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): Explanation | null {
  const logs = logsByMask(design, plan, trials);
  const grouped = groupedOrders(design.changes.length, (mask) => logs.has(mask));
  if (grouped === null) return null;
  const hasArchitecture = (group: readonly number[]): boolean =>
    group.some((index) => design.changes[index]?.isArchitecture === true);
  const { factors: effects, headline } = effectsOf(grouped, logs, hasArchitecture);
  const factors = effects.map((effect, index) => describe(effect, grouped.groups[index] ?? [], design));
  const isResidual = factors.map(({ changes }) => changes.some(({ isArchitecture }) => isArchitecture));
  const residual = factors.find((_, index) => isResidual[index] === true);
  const together =
    residual?.changes.filter(({ isArchitecture }) => !isArchitecture).map(({ name }) => name) ?? [];
  const residualIncludes = residual === undefined ? [] : [...together, ...design.withArchitecture];
  const { ratio, ci95 } = ratioEstimateOf(headline);
  const skipped = [...design.skipped, ...unmeasured(design, logs)];
  const isExact = design.leftOut === 0 && design.cells.every(({ mask }) => logs.has(mask));
  return {
    from: design.from,
    to: design.to,
    ratio,
    ci95,
    rounds: headline.rounds,
    factors: factors.filter((_, index) => isResidual[index] === false).map(({ factor }) => factor),
    residual: residual?.factor.multiplier ?? 1,
    residualCi95: residual?.factor.ci95 ?? null,
    ...(residual === undefined
      ? {}
      : {
          residualRounds: residual.rounds,
          residualMin: residual.factor.min,
          residualMax: residual.factor.max,
        }),
    ...(residualIncludes.length === 0 ? {} : { residualIncludes }),
    ...(design.ofOneSystem.length === 0 ? {} : { residualOfOneSystem: design.ofOneSystem }),
    cellsMeasured: logs.size,
    cellsSkipped: skipped.length,
    skipped,
    orders: { count: grouped.changeOrders.count, exact: isExact },
  };
}

/** For each mask whose trials all passed: the logarithm of its throughput, by round. */
function logsByMask(
  { cells }: ExplainDesign,
  plan: RunPlan,
  trials: readonly TrialRecord[],
): ReadonlyMap<Combination, Logs> {
  const passed = Map.groupBy(trials.filter(isPassed), ({ cellId }) => cellId);
  return new Map(
    cells.flatMap(({ mask, cellId }): [Combination, Logs][] => {
      const ofCell = passed.get(cellId) ?? [];
      const due = plan.rounds.filter((ids) => ids.includes(cellId)).length;
      if (due === 0 || ofCell.length !== due || ofCell.some(({ tps }) => !(tps > 0))) return [];
      return [[mask, new Map(ofCell.map(({ round, tps }) => [round, Math.log(tps)]))]];
    }),
  );
}

interface EffectWithInterval extends LogEffect {
  readonly interval: Interval | null;
  /** Rounds that have all cells of the effect. */
  readonly rounds: number;
}

interface Effects {
  readonly factors: readonly EffectWithInterval[];
  readonly headline: LogEstimate & { readonly rounds: number };
}

/**
 * The effects on the logarithm, each with a paired interval over the rounds that have all of its cells. Architecture
 * and headline, which the run is designed for, have their own Student 95 % intervals. The factors' intervals hold
 * jointly with 95 % (Bonferroni).
 */
function effectsOf(
  { changeOrders, groups, ungrouped }: GroupedOrders,
  logs: ReadonlyMap<Combination, Logs>,
  isArchitecture: (group: readonly number[]) => boolean,
): Effects {
  const masks = changeOrders.masks.map(ungrouped);
  const means = cellEffects(new Map(masks.flatMap((mask) => [[mask, logs.get(mask) ?? new Map()] as const])));
  const meanAt = (mask: Combination): number => means.get(ungrouped(mask)) ?? Number.NaN;
  const full = changeOrders.masks.at(-1) ?? 0;
  const valuesOf = (weights: ReadonlyMap<Combination, number>): WeightedValues =>
    valuesByRound(weights, (mask) => logs.get(ungrouped(mask)) ?? new Map());
  const family = weightsOf(changeOrders).map(valuesOf);
  const moderated = pairedMeans(family);
  const factorCount = groups.filter((group) => !isArchitecture(group)).length;
  const factors = attribute(changeOrders, meanAt).map((effect, index): EffectWithInterval => {
    const own = family[index] ?? { values: [], scale: 1 };
    const isResidual = isArchitecture(groups[index] ?? []);
    const paired = isResidual ? pairedMeans([own])[0] : moderated[index];
    const interval = intervalOf(
      scaled(paired, own.scale, effect.mean),
      1 - 0.025 / (isResidual ? 1 : factorCount),
    );
    return { ...effect, interval, rounds: own.values.length };
  });
  const ends = valuesOf(
    new Map([
      [0, -1],
      [full, 1],
    ]),
  );
  const headline = scaled(pairedMeans([ends])[0], ends.scale, meanAt(full) - meanAt(0));
  return { factors, headline: { ...headline, rounds: ends.values.length } };
}

/** One alone has Student's interval. */
function pairedMeans(family: readonly WeightedValues[]): readonly LogEstimate[] {
  return family.map(({ values }) => sampleMean(values.length === 0 ? [0] : values));
}

interface WeightedValues {
  /** One per round, of cells that all have the variance of one cell. */
  readonly values: readonly number[];
  readonly scale: number;
}

/** A weighted sum of cells in each round that has all of them. */
function valuesByRound(
  weights: ReadonlyMap<Combination, number>,
  logsAt: (mask: Combination) => Logs,
): WeightedValues {
  const cells = [...weights].filter(([, weight]) => weight !== 0);
  const scale = Math.sqrt(cells.reduce((sum, [, weight]) => sum + weight ** 2, 0));
  const [first] = cells;
  const rounds = first === undefined ? [] : [...logsAt(first[0]).keys()];
  const values = rounds.flatMap((round) => {
    const parts = cells.map(([mask, weight]) => weight * (logsAt(mask).get(round) ?? Number.NaN));
    const sum = parts.reduce((total, part) => total + part, 0);
    return Number.isNaN(sum) ? [] : [sum / scale];
  });
  return { values, scale };
}

function scaled(paired: LogEstimate | undefined, scale: number, mean: number): LogEstimate {
  const { error = 0, degrees = 0 } = paired ?? {};
  return { mean, error: error * scale, degrees };
}

function describe(
  { mean, min, max, interval, rounds }: EffectWithInterval,
  group: readonly number[],
  design: ExplainDesign,
): {
  readonly changes: ExplainDesign['changes'];
  readonly factor: FactorEffect;
  readonly rounds: number;
} {
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
  return { changes, factor, rounds };
}

function unmeasured({ cells }: ExplainDesign, logs: ReadonlyMap<Combination, Logs>): Explanation['skipped'] {
  return cells
    .filter(({ mask }) => !logs.has(mask))
    .map(({ cellId }) => ({
      cell: cellId,
      reason: 'it has no number in this run; the table of cells says why',
    }));
}
