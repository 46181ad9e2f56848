import { overRoles } from '@fair-bench/contract';
import type { SoakPoint, SoakSummary } from '@fair-bench/results';
import { soakSection } from '../../sections/soak.ts';
import { axisFromZero, linearAxis } from '../charts/axes.ts';
import { type Curve, lineChart } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { charts, exact, figure, legendOf, sectionsMarkup } from '../figure.ts';
import type { Content, Markup } from '../markup.ts';
import { styleAt } from '../series-style.ts';

/** More lines of one kind than these would hide the curve: the table says what their work cost. */
const marksMax = 20;
/** The style of a chart's other curve. */
const second = styleAt(4);

type Value = (point: SoakPoint) => number | null;

/** The tables, and for each cell its course: throughput, latency, processors, memory and files, with background work marked. */
export function soakPage({ summary, styleOf }: Evidence): Content {
  const { soak = [] } = summary;
  if (soak.length === 0) return null;
  const figures = soak.flatMap((cell) =>
    cell.points.length === 0 ? [] : figuresOf(cell, styleOf(cell.target)),
  );
  return [sectionsMarkup(soakSection(summary)), charts(figures)];
}

function figuresOf(cell: SoakSummary, style: string): readonly Markup[] {
  return [
    figureOf(cell, style, 'throughput', 'TPS', {
      mean: ({ tps }) => tps,
      'worst second': ({ tpsLeast }) => tpsLeast,
    }),
    figureOf(cell, style, 'latency', 'ms', { p50: ({ p50Ms }) => p50Ms, p99: ({ p99Ms }) => p99Ms }),
    figureOf(cell, style, 'processors', 'busy', {
      servers: ({ cpu }) => cpu && overRoles(cpu),
      'load client': ({ cpu }) => cpu?.client ?? null,
    }),
    figureOf(cell, style, 'memory', 'MiB', {
      servers: ({ rssMb }) => rssMb && overRoles(rssMb),
      'load client': ({ rssMb }) => rssMb?.client ?? null,
    }),
    figureOf(cell, style, 'files', 'MiB', { files: ({ filesMb }) => filesMb }),
  ].flat();
}

function figureOf(
  { target, points, marks }: SoakSummary,
  style: string,
  what: string,
  unit: string,
  values: Readonly<Record<string, Value>>,
): readonly Markup[] {
  const all = Object.entries(values);
  const curves = all.flatMap(([, value], place): Curve[] => {
    const known = points.flatMap((point) => {
      const y = value(point);
      return y === null ? [] : [{ x: (point.atS + point.lengthS / 2) / 60, y }];
    });
    return known.length === 0 ? [] : [{ style: place === 0 ? style : second, dots: false, points: known }];
  });
  if (curves.length === 0) return [];
  const legend =
    curves.length === 1
      ? null
      : legendOf(all.map(([key], place) => ({ name: key, style: place === 0 ? style : second })));
  const name = `${target}, ${what}`;
  const ends = points.map(({ atS, lengthS }) => (atS + lengthS) / 60);
  const chart = lineChart({
    label: `${name} by the minute; ${all.map(([key]) => key).join(' and ')}`,
    height: 150,
    x: linearAxis('minutes', [0, ...ends]),
    y: axisFromZero(
      unit,
      curves.flatMap((curve) => curve.points.map(({ y }) => y)),
      3,
    ),
    curves,
    marks: rare(marks).map(({ atS, name: text }) => ({ x: atS / 60, text })),
  });
  return [
    figure(name, chart, legend, {
      heads: ['from second', ...all.map(([key]) => `${key}, ${unit}`)],
      rows: points.map((point) => [String(point.atS), ...all.map(([, value]) => exact(value(point)))]),
    }),
  ];
}

function rare(marks: SoakSummary['marks']): SoakSummary['marks'] {
  const byName = Map.groupBy(marks, ({ name }) => name);
  return marks.filter(({ name }) => (byName.get(name)?.length ?? 0) <= marksMax);
}
