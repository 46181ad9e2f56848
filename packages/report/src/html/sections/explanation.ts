import { scaleLog } from 'd3-scale';
import type { Explanation, RunSummary } from '@fair-bench/results';
import type { Interval } from '@fair-bench/contract';
import { bracketed, formatRatio, valueInWords } from '../../sections/format.ts';
import { type Bar, barChart } from '../charts/bar-chart.ts';
import { exact, figure, exactEnds } from '../figure.ts';
import { html, type Markup } from '../markup.ts';

/** What a step of the waterfall multiplies by. */
interface Step {
  readonly name: string;
  readonly multiplier: number;
  readonly ci95: Interval | null;
  readonly range: readonly [number, number] | null;
}

/** The gap as a waterfall, and what stands behind it. */
export function explanationPage({ explanation }: RunSummary): Markup | null {
  if (explanation === undefined) return null;
  const { cellsMeasured, cellsSkipped, orders, skipped, residualIncludes } = explanation;
  const includes =
    residualIncludes === undefined
      ? ''
      : ` It includes ${residualIncludes.join(', ')}, which cannot be changed alone here.`;
  return html`<div class="charts wide">${waterfallFigure(explanation)}</div>
    <details>
      <summary>How the factors are computed</summary>
      <p>
        Each factor’s multiplier is its Shapley value on the logarithm over
        ${orders.exact ? 'all' : 'sampled'} ${orders.count} orders of change, so that their product is the
        whole. Architecture is what no setting explains.${includes} ${cellsMeasured} cells were measured,
        ${cellsSkipped} skipped.
      </p>
    </details>
    ${
      skipped.length === 0
        ? null
        : html`<details>
            <summary>Skipped cells</summary>
            <ul>
              ${skipped.map(({ cell, reason }) => html`<li>${cell}: ${reason}</li>`)}
            </ul>
          </details>`
    }`;
}

/** The gap as a waterfall: each factor begins where the one before it ended. */
export function waterfallFigure(explanation: Explanation): Markup {
  const { from, to, ratio, ci95 } = explanation;
  const steps = stepsOf(explanation);
  const name = `From ${from} to ${to}: ${formatRatio(ratio)} ×`;
  const bars = waterfall(explanation, steps);
  const ends = [
    1,
    ratio,
    ...bars.flatMap(({ stretches, ci95: whisker }) => [
      ...stretches.flatMap(({ from: a, to: b }) => [a, b]),
      ...(whisker ?? []),
    ]),
  ];
  const scale = scaleLog([Math.min(...ends) / 1.05, Math.max(...ends) * 1.05], [0, 1]);
  const words = steps.map((step) => `${step.name} ${times(step.multiplier)}`).join('; ');
  const chart = barChart({
    label: `${name}. ${words}`,
    title: 'times the throughput of the first',
    bars,
    scale,
    ticks: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].filter((tick) => inDomain(scale.domain(), tick)),
  });
  const table = {
    heads: ['factor', 'multiplier', '95 % low', '95 % high', 'least over orders', 'most over orders'],
    rows: [
      ...steps.map((step) => [
        step.name,
        exact(step.multiplier),
        ...exactEnds(step.ci95),
        ...exactEnds(step.range),
      ]),
      ['together', exact(ratio), ...exactEnds(ci95), '–', '–'],
    ],
  };
  return figure(name, chart, null, table);
}

function stepsOf({ factors, residual, residualCi95 }: Explanation): readonly Step[] {
  return [
    ...factors.map(({ name, from, to, multiplier, ci95, min, max }) => ({
      name: `${name}: ${valueInWords(from)} → ${valueInWords(to)}`,
      multiplier,
      ci95,
      range: [min, max] as const,
    })),
    // Within one system nothing is left.
    ...(residual === 1 && residualCi95 === null
      ? []
      : [{ name: 'architecture', multiplier: residual, ci95: residualCi95, range: null }]),
  ];
}

function waterfall({ from, to, ratio, ci95 }: Explanation, steps: readonly Step[]): readonly Bar[] {
  const starts = steps.map((_step, index) =>
    steps.slice(0, index).reduce((product, { multiplier }) => product * multiplier, 1),
  );
  const rows = steps.map(({ name, multiplier, ci95: interval }, index): Bar => {
    const start = starts[index] ?? 1;
    const style = multiplier >= 1 ? 'gain' : 'loss';
    return {
      name,
      value: `${times(multiplier)}${bracketed(interval)}`,
      stretches: [{ from: start, to: start * multiplier, style }],
      ci95: interval === null ? null : [start * interval[0], start * interval[1]],
    };
  });
  const whole: Bar = {
    name: `together: ${from} → ${to}`,
    value: `${times(ratio)}${bracketed(ci95)}`,
    stretches: [{ from: 1, to: ratio, style: 'whole' }],
    ci95,
  };
  return [...rows, whole];
}

function times(multiplier: number): string {
  return `× ${formatRatio(multiplier)}`;
}

function inDomain([low = 0, high = 0]: readonly number[], value: number): boolean {
  return value >= low && value <= high;
}
