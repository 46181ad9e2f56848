import type { Interval } from '@fair-bench/contract';
import type { Explanation, RunSummary } from '@fair-bench/results';
import { absent, endsInShort, formatRatio, plural, rangeText, valueInWords } from './format.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

const barWidth = 32;

/** The waterfall of a gap: each factor's multiplier, and the ratio reached with it. */
export function explanationSection({ explanation, run }: RunSummary): readonly Section[] {
  if (explanation === undefined) {
    const lines = ['No explanation: one of the two ends has no number in this run.'];
    return run.mode === 'explain' ? [{ title, lines, table: null }] : [];
  }
  return [
    {
      title,
      lines: [
        describeHeadline(explanation),
        howToRead,
        ...describeResidual(explanation),
        describeOrders(explanation),
      ],
      table: tableOf(columns, rowsOf(explanation)),
    },
    ...leftOutSection(explanation),
  ];
}

const title = 'Where the gap comes from';
const howToRead =
  'A multiplier is the mean effect of a factor over all orders in which the factors can be changed one at a time (Shapley value on the logarithm). Their product is the headline. Smallest and largest are the effects in single orders: they differ where factors interact. The intervals of the factors hold together with 95 %, those of the headline and of the architecture each alone.';

/** A bar of the waterfall: a factor, or architecture, which has no change. */
export interface Step {
  readonly name: string;
  readonly change: string | null;
  readonly multiplier: number;
  readonly ci95: Interval | null;
  /** Its smallest and largest effect in single orders; null for an architecture of a run that did not store them. */
  readonly bounds: Interval | null;
}

/** The largest effect first. Within one system there is no architecture. */
export function stepsOf(explanation: Explanation): readonly Step[] {
  const { factors, residual, residualCi95, residualMin, residualMax } = explanation;
  const steps: readonly Step[] = factors.map(({ name, from, to, multiplier, ci95, min, max }) => ({
    name,
    change: `${valueInWords(from)} → ${valueInWords(to)}`,
    multiplier,
    ci95,
    bounds: [min, max],
  }));
  const rest: Step = {
    name: 'architecture',
    change: null,
    multiplier: residual,
    ci95: residualCi95,
    bounds: residualMin === undefined || residualMax === undefined ? null : [residualMin, residualMax],
  };
  const all = residual === 1 && residualCi95 === null ? steps : [...steps, rest];
  return all.toSorted((a, b) => Math.abs(Math.log(b.multiplier)) - Math.abs(Math.log(a.multiplier)));
}

/** A step as a row: its bar begins where the previous one ended. */
interface Row extends Step {
  readonly bar: string;
  readonly reached: number;
}

const columns: readonly ColumnOf<Row>[] = [
  left('factor', ({ name }) => name),
  left('change', ({ change }) => change ?? ''),
  right('multiplier', ({ multiplier }) => `${formatRatio(multiplier)} ×`),
  right('95 %', ({ ci95 }) => rangeText(ci95)),
  right('smallest', ({ bounds }) => (bounds === null ? absent : `${formatRatio(bounds[0])} ×`)),
  right('largest', ({ bounds }) => (bounds === null ? absent : `${formatRatio(bounds[1])} ×`)),
  right('reached', ({ reached }) => `${formatRatio(reached)} ×`),
  left('waterfall', ({ bar }) => bar),
];

function rowsOf(explanation: Explanation): readonly Row[] {
  const { residualIncludes = [], ratio: multiplier, ci95 } = explanation;
  const { from, to } = endsInShort(explanation);
  const together = residualIncludes.length === 0 ? '' : `, with ${residualIncludes.join(', ')}`;
  const steps = stepsOf(explanation);
  const scale = scaleOf(steps.map((step) => step.multiplier));
  let reached = 1;
  const rows = steps.map((step) => {
    const before = reached;
    reached *= step.multiplier;
    const change = step.change ?? `the step between the systems${together}`;
    return { ...step, change, reached, bar: scale.bar(before, reached) };
  });
  const headline = { name: 'headline', change: `${from} → ${to}`, multiplier, ci95, bounds: null };
  return [...rows, { ...headline, reached: multiplier, bar: scale.bar(1, multiplier) }];
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

/** What the step between the systems contains; empty within one system. */
export function describeResidual(explanation: Explanation): readonly string[] {
  const { residualIncludes, residualOfOneSystem, residualMin, residualMax } = explanation;
  if (residualMin === undefined) return [];
  const apart = residualIncludes === undefined ? '' : ` It contains ${residualIncludes.join(', ')}.`;
  const oneSided =
    residualOfOneSystem === undefined
      ? ''
      : ` It also contains what stands in the other system for settings that only one has (${residualOfOneSystem.join('; ')}).`;
  const once =
    residualMin === residualMax ? ' It was measured at one combination of the other settings.' : '';
  return [
    `Architecture is the step from one system to the other with equal settings; nothing here splits it further.${apart}${oneSided}${once}`,
  ];
}

function describeOrders({ cellsMeasured, cellsSkipped, orders }: Explanation): string {
  const which = orders.exact ? 'all feasible orders' : 'the orders that the measured cells allow';
  return `${plural(cellsMeasured, 'cell')} measured, ${cellsSkipped.toLocaleString('en-US')} not; ${plural(orders.count, 'order')}: ${which}.`;
}

/** Every skipped cell, grouped by reason. */
function leftOutSection({ skipped }: Explanation): readonly Section[] {
  if (skipped.length === 0) return [];
  const lines = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) => {
    const more = same.length === 1 ? '' : ` and ${same.length - 1} more`;
    return `${same[0]?.cell}${more}: ${reason}`;
  });
  return [{ title: 'Not part of the explanation', lines, table: null }];
}
