import { scaleLog } from 'd3-scale';
import type { Explanation, RunSummary } from '@fair-bench/results';
import type { Interval } from '@fair-bench/contract';
import {
  architectureSentences,
  describeModel,
  describePath,
  factorSentences,
  type Step,
  stepsOf,
} from '../../sections/explanation.ts';
import { endsInShort, formatNumber, formatRatio, ratioText } from '../../sections/format.ts';
import { type Bar, barChart } from '../charts/bar-chart.ts';
import { exact, figure, exactEnds } from '../figure.ts';
import { html, list, type Markup } from '../markup.ts';

/** The path as a waterfall; how the factors were found, and the skipped cells. */
export function explanationPage({ explanation, claim }: RunSummary): Markup | null {
  if (explanation === undefined) return null;
  const { from, to, skipped } = explanation;
  return html`<div class="charts">${waterfallFigure(explanation, claim?.claimedRatio)}</div>
    <details>
      <summary>How the factors are computed</summary>
      <p>From ${from} to ${to}. ${describePath(explanation)} ${describeModel(explanation).join(' ')}</p>
      ${list([...architectureSentences(explanation), ...factorSentences(explanation)])}
    </details>
    ${
      skipped.length === 0
        ? null
        : html`<details>
            <summary>Skipped cells</summary>
            ${list(skipped.map(({ cell, reason }) => `${cell}: ${reason}`))}
          </details>`
    }`;
}

/** The claimed and the measured ratio, then the path: each bar begins where the one before it ended. */
export function waterfallFigure(explanation: Explanation, claimedRatio?: number): Markup {
  const { from, to } = endsInShort(explanation);
  const steps = stepsOf(explanation);
  const name = `${from} → ${to}: ${formatRatio(explanation.ratio)} ×`;
  const totals = totalsOf(explanation, claimedRatio);
  const bars = [...totals.map(totalBar), ...stepBars(steps)];
  const ends = bars.flatMap(({ stretches, ci95 }) => [
    ...stretches.flatMap((stretch) => [stretch.from, stretch.to]),
    ...(ci95 ?? []),
  ]);
  const scale = scaleLog([Math.min(...ends) / 1.05, Math.max(...ends) * 1.05], [0, 1]);
  const chart = barChart({
    label: `${name}. ${bars.map((bar) => `${bar.name} ${bar.value}`).join('; ')}`,
    title: `times the throughput of ${from}`,
    bars,
    scale,
    ticks: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].filter((tick) => inDomain(scale.domain(), tick)),
  });
  return figure(name, chart, null, {
    heads: ['change', 'multiplier', '95 % low', '95 % high'],
    rows: [
      ...totals.map(({ name: total, ratio, ci95 }) => [total, exact(ratio), ...exactEnds(ci95)]),
      ...steps.map((step) => [nameOf(step), exact(step.multiplier), ...exactEnds(step.ci95)]),
    ],
  });
}

interface Total {
  readonly name: string;
  readonly ratio: number;
  readonly ci95: Interval | null;
  readonly style: string;
}

function totalsOf({ ratio, ci95 }: Explanation, claimedRatio: number | undefined): readonly Total[] {
  const measured = { name: 'measured here', ratio, ci95, style: 'whole' };
  if (claimedRatio === undefined) return [measured];
  return [{ name: 'claimed', ratio: claimedRatio, ci95: null, style: 'claimed' }, measured];
}

function totalBar({ name, ratio, ci95, style }: Total): Bar {
  const value = ci95 === null ? `${formatNumber(ratio)} ×` : ratioText({ ratio, ci95 });
  return { name, value, stretches: [{ from: 1, to: ratio, style }], ci95 };
}

function nameOf({ name, change }: Step): string {
  return `${name}: ${change}`;
}

function stepBars(steps: readonly Step[]): readonly Bar[] {
  let reached = 1;
  return steps.map((step): Bar => {
    const start = reached;
    const { multiplier, ci95 } = step;
    reached *= multiplier;
    return {
      name: nameOf(step),
      value: `× ${formatRatio(multiplier)}`,
      stretches: [{ from: start, to: reached, style: multiplier >= 1 ? 'gain' : 'loss' }],
      ci95: ci95 === null ? null : [start * ci95[0], start * ci95[1]],
    };
  });
}

function inDomain([low = 0, high = 0]: readonly number[], value: number): boolean {
  return value >= low && value <= high;
}
