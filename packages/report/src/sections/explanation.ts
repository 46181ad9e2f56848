import type { Explanation, FactorEffect, RunSummary } from '@fair-bench/results';
import { absent, formatRatio, plural, rangeText, valueInWords } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

const barWidth = 32;

/** The waterfall of a gap: each factor's multiplier, and where it takes the throughput to. */
export function explanationSection({ explanation, run }: RunSummary): readonly Section[] {
  if (explanation === undefined) {
    const lines = ['No explanation: one of the two ends has no number in this run.'];
    return run.mode === 'explain' ? [{ title, lines, table: null }] : [];
  }
  return [
    {
      title,
      lines: [describeHeadline(explanation), howToRead, describeOrders(explanation)],
      table: tableOf(columns, stepsOf(explanation)),
    },
    ...leftOutSection(explanation),
  ];
}

const title = 'Where the gap comes from';
const howToRead =
  'Each multiplier is a factor’s mean effect on the logarithm over all orders in which the factors can be changed one at a time (Shapley value). Multiplied together they are the headline. Smallest and largest: the effect in single orders; they lie apart where factors interact. The intervals hold together with 95 %.';

/** One bar of the waterfall: from where the factors before it had got to, as a share of the whole on the logarithm. */
interface Step {
  readonly name: string;
  readonly change: string;
  readonly effect: Pick<FactorEffect, 'multiplier' | 'ci95'>;
  readonly bounds: Pick<FactorEffect, 'min' | 'max'> | null;
  readonly bar: string;
  readonly reached: number;
}

const columns: readonly ColumnOf<Step>[] = [
  left('factor', ({ name }) => name),
  left('change', ({ change }) => change),
  right('multiplier', ({ effect }) => `${formatRatio(effect.multiplier)} ×`),
  right('95 %', ({ effect }) => rangeText(effect.ci95)),
  right('smallest', ({ bounds }) => (bounds === null ? absent : `${formatRatio(bounds.min)} ×`)),
  right('largest', ({ bounds }) => (bounds === null ? absent : `${formatRatio(bounds.max)} ×`)),
  right('reached', ({ reached }) => `${formatRatio(reached)} ×`),
  left('waterfall', ({ bar }) => bar),
];

function stepsOf(explanation: Explanation): readonly Step[] {
  const { factors, residual, residualCi95, residualIncludes = [], ratio, ci95 } = explanation;
  const [from, to] = [explanation.from, explanation.to].map((end) => end.split('[')[0] ?? end);
  const parts = factors.map((factor) => ({
    name: factor.name,
    change: `${valueInWords(factor.from)} → ${valueInWords(factor.to)}`,
    effect: factor,
    bounds: factor,
  }));
  const rest = residualCi95 !== null || residual !== 1;
  const together = residualIncludes.length === 0 ? '' : `, with ${residualIncludes.join(', ')}`;
  const all = [
    ...parts,
    ...(rest
      ? [
          {
            name: 'architecture',
            change: `what is left between the systems${together}`,
            effect: { multiplier: residual, ci95: residualCi95 },
            bounds: null,
          },
        ]
      : []),
  ];
  const scale = scaleOf(all.map(({ effect }) => effect.multiplier));
  let reached = 1;
  const steps = all.map((part) => {
    const before = reached;
    reached *= part.effect.multiplier;
    return { ...part, reached, bar: scale.bar(before, reached) };
  });
  const headline = {
    name: 'headline',
    change: `${from} → ${to}`,
    effect: { multiplier: ratio, ci95 },
    bounds: null,
    reached: ratio,
    bar: scale.bar(1, ratio),
  };
  return [...steps, headline];
}

/** The logarithm from the lowest to the highest point of the waterfall, in characters. */
function scaleOf(multipliers: readonly number[]): {
  bar: (from: number, to: number) => string;
} {
  let log = 0;
  const logs = [0, ...multipliers.map((multiplier) => (log += Math.log(multiplier)))];
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  const place = (value: number): number =>
    high === low ? 0 : Math.round(((Math.log(value) - low) / (high - low)) * barWidth);
  return {
    bar(from, to) {
      const [start, end] = [place(from), place(to)].toSorted((a, b) => a - b);
      const width = Math.max(1, (end ?? 0) - (start ?? 0));
      const offset = Math.min(start ?? 0, barWidth - 1);
      return '·'.repeat(offset) + (to >= from ? '█' : '▒').repeat(width);
    },
  };
}

function describeHeadline({ from, to, ratio, ci95 }: Explanation): string {
  return `${to} is ${formatRatio(ratio)} times as fast as ${from}${ci95 === null ? '' : ` (95 %: ${rangeText(ci95)})`}.`;
}

function describeOrders({ cellsMeasured, cellsSkipped, orders }: Explanation): string {
  const which = orders.exact ? 'all feasible orders' : 'the orders that the measured cells allow';
  return `${plural(cellsMeasured, 'cell')} measured, ${cellsSkipped.toLocaleString('en-US')} not; ${plural(orders.count, 'order')}: ${which}.`;
}

/** Every cell that was left out, once for each reason. */
function leftOutSection({ skipped }: Explanation): readonly Section[] {
  if (skipped.length === 0) return [];
  const lines = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) => {
    const more = same.length === 1 ? '' : ` and ${same.length - 1} more`;
    return `${same[0]?.cell}${more}: ${reason}`;
  });
  return [{ title: 'Not part of the explanation', lines, table: null }];
}
