import { scaleLinear } from 'd3-scale';
import type { DecodedHistogram } from '@fair-bench/load-client';
import { formatLatency } from '../../sections/results.ts';
import { logAxis } from '../charts/axes.ts';
import { type Axis, lineChart } from '../charts/line-chart.ts';
import type { CellGroup, Evidence } from '../evidence.ts';
import { exact, figure, legendOf } from '../figure.ts';
import type { Markup } from '../markup.ts';
import { styleAt } from '../series-style.ts';
import { type MeasuredCell } from '@fair-bench/results';

/** Powers of ten of the share of slower operations: 2 is the 99th percentile. */
const ninesMax = 4;
const stepsPerNine = 10;
const shown = [50, 90, 95, 99, 99.9, 99.99];

/** Latency by percentile, one curve per target, on an axis that gives the tail as much room as the middle. */
export function latencyFigures(evidence: Evidence): readonly Markup[] {
  return evidence.groups.flatMap((group) => figureOf(group, evidence) ?? []);
}

function figureOf(group: CellGroup, { latencyOf, styleOf }: Evidence): Markup | null {
  const targets = new Set(group.cells.map(({ target }) => target));
  const curves = group.cells.flatMap((cell, index) => {
    const histogram = latencyOf(cell);
    const style = targets.size === group.cells.length ? styleOf(cell.target) : styleAt(index);
    return histogram === null ? [] : [{ cell, histogram, style, points: pointsOf(histogram) }];
  });
  if (curves.length === 0) return null;
  const name = `Latency by percentile at ${group.name}`;
  const nameOf = (cell: MeasuredCell): string => latencyNameOf(group, cell);
  const medians = curves.map(
    ({ cell }) =>
      `${group.nameOf(cell)} median ${formatLatency(cell, cell.latencyMs.p50)} ms, p99 ${formatLatency(cell, cell.latencyMs.p99)} ms`,
  );
  const chart = lineChart({
    label: `${name}: ${medians.join('; ')}`,
    height: 230,
    x: percentiles,
    y: logAxis(
      'ms',
      curves.flatMap(({ points }) => points.map(({ y }) => y)),
    ),
    curves: curves.map(({ style, points }) => ({ style, points, dots: false })),
  });
  const legend = legendOf(curves.map(({ cell, style }) => ({ name: nameOf(cell), style })));
  return figure(name, chart, legend, {
    heads: ['cell', 'mean ms', ...shown.map((percentile) => `p${percentile}`), 'max'],
    rows: curves.map(({ cell, histogram }) => [
      nameOf(cell),
      exact(cell.latencyMs.mean),
      ...shown.map((percentile) => exact(histogram.percentileMs(percentile))),
      exact(cell.latencyMs.max),
    ]),
  });
}

/** A cell's name beside its latencies, which are lower bounds where the open loop's rate was not sustained. */
export function latencyNameOf(group: CellGroup, cell: MeasuredCell): string {
  return `${group.nameOf(cell)}${cell.openLoop?.held === false ? ' (lower bounds)' : ''}`;
}

const percentiles: Axis = {
  title: 'percentile',
  scale: scaleLinear([0, ninesMax], [0, 1]),
  ticks: [0, 50, 90, 99, 99.9, 99.99].map((percentile) => ({
    value: -Math.log10(1 - percentile / 100),
    text: String(percentile),
  })),
};

/** The tail, as far as ten values are beyond. */
function pointsOf(histogram: DecodedHistogram): readonly { x: number; y: number }[] {
  const nines = Math.min(ninesMax, Math.max(1, Math.log10(histogram.count / 10)));
  const steps = Math.ceil(nines * stepsPerNine);
  return Array.from({ length: steps + 1 }, (_, step) => {
    const x = (step / steps) * nines;
    return { x, y: Math.max(0.001, histogram.percentileMs(100 * (1 - 10 ** -x))) };
  });
}
