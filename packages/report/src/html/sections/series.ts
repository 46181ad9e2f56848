import type { Interval } from '@fair-bench/contract';
import type { MeasuredCell, PassedTrial } from '@fair-bench/results';
import { axisFromZero, linearAxis } from '../charts/axes.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { charts, exact, figure } from '../figure.ts';
import { type Content, html, type Markup } from '../markup.ts';

/** A last second that is mostly missing is left out. */
const coveredMin = 0.25;

/** Applied operations of every cell by second: one line per trial, with the timed windows. */
export function seriesPage({ summary, styleOf, trialsOf }: Evidence): Content {
  const figures = summary.cells.flatMap((cell) => {
    if (cell.status !== 'ok') return [];
    const trials = trialsOf(cell).filter(({ result }) => result.series.length > 1);
    return trials.length === 0 ? [] : [figureOf(cell, trials, styleOf(cell.target))];
  });
  if (figures.length === 0) return null;
  return [
    html`<p>Applied operations by second of each trial, warm-up included. Shaded: the timed window.</p>`,
    charts(figures),
  ];
}

function figureOf(cell: MeasuredCell, trials: readonly PassedTrial[], style: string): Markup {
  const name = `${cell.id}, by second`;
  const curves = trials.map((trial) => ({ style, dots: true, points: ratesOf(trial) }));
  const windows = trials.map(({ result: { timing } }): Interval => {
    return [timing.warmupMs / 1000, (timing.warmupMs + timing.windowMs) / 1000];
  });
  const seconds = Math.max(
    ...windows.map(([, end]) => end),
    ...curves.flatMap(({ points }) => points.map(({ x }) => x)),
  );
  const steady = trials.filter(({ result }) => result.steadyState.reached).length;
  const chart = lineChart({
    label: `${name}: ${trials.length} trials; throughput was steady before the window in ${steady} of them`,
    height: 150,
    x: linearAxis('seconds', [0, seconds]),
    y: axisFromZero(
      'TPS',
      curves.flatMap(({ points }) => points.map(({ y }) => y)),
      3,
    ),
    curves,
    bands: windows,
  });
  const rows = Math.max(...trials.map(({ result }) => result.series.length));
  return figure(name, chart, null, {
    heads: ['second', ...trials.map(({ round }) => `applied, round ${round + 1}`)],
    rows: Array.from({ length: rows }, (_, second) => [
      String(second),
      ...trials.map(({ result }) => exact(result.series[second]?.applied ?? null)),
    ]),
  });
}

/** Applied operations per second, in the middle of each second; a partial last second is scaled up. */
function ratesOf({ result: { series, timing } }: PassedTrial): readonly { x: number; y: number }[] {
  const end = (timing.warmupMs + timing.windowMs) / 1000;
  return series.flatMap(({ second, applied }) => {
    const covered = Math.min(1, end - second);
    return covered < coveredMin ? [] : [{ x: second + covered / 2, y: applied / covered }];
  });
}
