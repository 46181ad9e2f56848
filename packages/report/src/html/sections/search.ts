import type { Search } from '@fair-bench/results';
import {
  bestPointsOf,
  type BestPoint,
  describeBestPoint,
  estimatedTps,
  inFlight,
  placeOf,
} from '../../sections/best-points.ts';
import { parameterText, workloadAxes } from '../../sections/axes.ts';
import { axisFromZero, logAxis } from '../charts/axes.ts';
import { type Curve, lineChart, type Point } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { exact, exactEnds, figure, legendOf } from '../figure.ts';
import { html, list, type Markup } from '../markup.ts';
import { styleAt } from '../series-style.ts';

/** Throughput and latency by operations in flight, every system on one chart; a table of each has its own charts. */
export function searchFigures({ summary }: Evidence): readonly Markup[] {
  const best = bestPointsOf(summary);
  const tables = [...Map.groupBy(best, ({ search }) => tableOf(search))];
  return tables.flatMap(([table, found]) => [
    html`<div>
      ${throughputFigure(`Search: throughput by operations in flight${table}`, found)}
      ${list(found.map(describeBestPoint), 'findings')}
    </div>`,
    latencyFigure(`Search: latency by operations in flight${table}`, found),
  ]);
}

function tableOf(search: Search): string {
  const { parameters, durability } = search;
  const at = workloadAxes([search]).map((axis) => `, ${axis} ${parameterText(parameters[axis])}`);
  return `${at.join('')}, ${durability}`;
}

type Tried = Extract<Search['points'][number], { status: 'ok' }>;

/** With so many operations in flight: the point of the chosen candidate that is estimated to be the fastest. */
function curveOf({ search }: BestPoint): readonly Tried[] {
  const passed = search.points.filter((point) => point.status === 'ok');
  return [...Map.groupBy(passed, inFlight).values()]
    .flatMap((alike) => alike.toSorted((a, b) => estimatedTps(b) - estimatedTps(a)).slice(0, 1))
    .toSorted((a, b) => inFlight(a) - inFlight(b));
}

function throughputFigure(name: string, found: readonly BestPoint[]): Markup {
  const points = found.flatMap(curveOf);
  const at = (point: Tried): Point => ({
    x: inFlight(point),
    y: estimatedTps(point),
    ci95: point.ci95 ?? null,
  });
  const chart = lineChart({
    label: `${name}: ${found.map(describeBestPoint).join(' ')}`,
    height: 260,
    x: logAxis('operations in flight', points.map(inFlight)),
    y: axisFromZero(
      'TPS',
      points.map(({ tps, ci95 }) => ci95?.[1] ?? tps),
    ),
    curves: found.map((one, index): Curve => ({
      style: styleAt(index),
      dots: true,
      points: curveOf(one).map(at),
      rings: [one.best, one.peak].map(at),
    })),
  });
  const legend = legendOf(found.map(({ name: system }, index) => ({ name: system, style: styleAt(index) })));
  const caption = `${name}, estimated by all trials of the search. Rings: the best point, and the fastest, which has more in flight unless the two are one.`;
  return figure(caption, chart, legend, {
    heads: [
      'system',
      'target',
      'client',
      'in flight',
      'sessions × depth',
      'TPS measured',
      'TPS estimated',
      '95 % low',
      '95 % high',
      'trials',
      'mark',
    ],
    rows: found.flatMap((one) =>
      curveOf(one).map((point) => [
        one.name,
        one.search.target,
        one.search.client,
        String(inFlight(point)),
        placeOf(point),
        exact(point.tps),
        exact(estimatedTps(point)),
        ...exactEnds(point.ci95),
        String(point.trials ?? 1),
        markOf(one, point),
      ]),
    ),
  });
}

function markOf({ best, peak }: BestPoint, point: Tried): string {
  return [...(point === best ? ['best'] : []), ...(point === peak ? ['fastest'] : [])].join(', ');
}

/** Of each system two curves: p50, and p99 with dots. */
function latencyFigure(name: string, found: readonly BestPoint[]): Markup {
  const curve = (one: BestPoint, of: 'p50Ms' | 'p99Ms'): readonly Point[] =>
    curveOf(one).flatMap((point) => (point[of] > 0 ? [{ x: inFlight(point), y: point[of] }] : []));
  const all = found.flatMap((one) => [...curve(one, 'p50Ms'), ...curve(one, 'p99Ms')]);
  const chart = lineChart({
    label: name,
    height: 260,
    x: logAxis(
      'operations in flight',
      all.map(({ x }) => x),
    ),
    y: logAxis(
      'ms',
      all.map(({ y }) => y),
    ),
    curves: found.flatMap((one, index): Curve[] => [
      { style: styleAt(index), dots: false, points: curve(one, 'p50Ms') },
      { style: styleAt(index), dots: true, points: curve(one, 'p99Ms') },
    ]),
  });
  const legend = legendOf(found.map(({ name: system }, index) => ({ name: system, style: styleAt(index) })));
  return figure(`${name}. With dots: p99; without: p50.`, chart, legend, {
    heads: ['system', 'in flight', 'sessions × depth', 'p50 ms', 'p99 ms'],
    rows: found.flatMap((one) =>
      curveOf(one).map((point) => [
        one.name,
        String(inFlight(point)),
        placeOf(point),
        exact(point.p50Ms),
        exact(point.p99Ms),
      ]),
    ),
  });
}
