import type { Sweep } from '@fair-bench/results';
import { curveName, findingsOf, sweepTitle } from '../../sections/sweeps.ts';
import { axisAtValues, axisFromZero, short } from '../charts/axes.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { exact, figure, legendOf, exactEnds } from '../figure.ts';
import { html, list, type Markup } from '../markup.ts';

/** Each sweep's curves with their intervals, the crossovers marked, and what was found in words. */
export function sweepFigures({ summary: { sweeps = [] }, styleOf }: Evidence): readonly Markup[] {
  return sweeps.map(
    (sweep) => html`<div>${figureOf(sweep, styleOf)} ${list(findingsOf(sweep), 'findings')}</div>`,
  );
}

function figureOf(sweep: Sweep, styleOf: Evidence['styleOf']): Markup {
  const { parameter, curves, crossovers, scale } = sweep;
  const points = curves.flatMap((curve) => curve.points);
  const values = [...new Set(points.map(({ x }) => x))].toSorted((a, b) => a - b);
  const chart = lineChart({
    label: `${sweepTitle(sweep)}: ${findingsOf(sweep).join('; ')}`,
    height: 240,
    x: axisAtValues(parameter, values, scale),
    y: axisFromZero(
      'TPS',
      points.map(({ tps, ci95 }) => ci95?.[1] ?? tps),
    ),
    curves: curves.map((curve) => ({
      style: styleOf(curve.target),
      dots: true,
      rings: curve.knee === null ? [] : [{ x: curve.knee.x, y: curve.knee.tps }],
      points: curve.points.map(({ x, tps, ci95 }) => ({ x, y: tps, ci95 })),
    })),
    marks: crossovers.map(({ x }) => ({ x, text: `× ${short(x)}` })),
  });
  const legend = legendOf(
    curves.map((curve) => ({ name: curveName(curve, sweep), style: styleOf(curve.target) })),
  );
  return figure(sweepTitle(sweep), chart, legend, {
    heads: [parameter, ...curves.flatMap((curve) => [curveName(curve, sweep), '95 % low', '95 % high'])],
    rows: values.map((x) => [
      String(x),
      ...curves.flatMap((curve) => {
        const point = curve.points.find((one) => one.x === x);
        return [exact(point?.tps ?? null), ...exactEnds(point?.ci95)];
      }),
    ]),
  });
}
