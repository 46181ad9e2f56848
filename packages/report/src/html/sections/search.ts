import type { Search } from '@fair-bench/results';
import { axisAtValues, axisFromZero } from '../charts/axes.ts';
import { lineChart } from '../charts/line-chart.ts';
import type { Evidence } from '../evidence.ts';
import { exact, figure, legendOf } from '../figure.ts';
import type { Markup } from '../markup.ts';
import { parameterText, workloadAxes } from '../../sections/axes.ts';
import { styleAt } from '../series-style.ts';

/** The points tried for each target before the rounds: one line per number of sessions. */
export function searchFigures({ summary: { search = [] } }: Evidence): readonly Markup[] {
  return search.map((one) => figureOf(one));
}

function figureOf(search: Search): Markup {
  const { target, client, parameters = {}, durability, points, chosen, edges } = search;
  const at = workloadAxes([search]).map((axis) => ` ${axis} ${parameterText(parameters[axis])},`);
  const name = `Search: ${target} by the ${client} client,${at.join('')} ${durability}`;
  const passed = points.filter((point) => point.status === 'ok');
  const lines = [...Map.groupBy(passed, ({ sessions }) => sessions)].toSorted(([a], [b]) => a - b);
  const depths = [...new Set(passed.map(({ depth }) => depth))].toSorted((a, b) => a - b);
  const edge = edges.length === 0 ? '' : `, at the grid's edge in ${edges.join(' and ')}`;
  const best =
    chosen === null
      ? 'none passed'
      : `chosen: ${chosen.sessions} sessions, depth ${chosen.depth}${chosen.poolSize === undefined ? '' : `, pool ${chosen.poolSize}`}${edge}`;
  const chart =
    passed.length === 0
      ? null
      : lineChart({
          label: `${name}; ${best}`,
          height: 190,
          x: axisAtValues('depth', depths.length > 1 ? depths : [...depths, (depths[0] ?? 1) * 2], 'log'),
          y: axisFromZero(
            'TPS',
            passed.map(({ tps }) => tps),
            3,
          ),
          curves: lines.map(([, group], index) => ({
            style: styleAt(index),
            dots: true,
            points: group
              .toSorted((a, b) => a.depth - b.depth)
              .map(({ depth, tps }) => ({ x: depth, y: tps })),
          })),
          marks: chosen === null ? [] : [{ x: chosen.depth, text: 'chosen' }],
        });
  const legend = legendOf(
    lines.map(([sessions], index) => ({ name: `${sessions} sessions`, style: styleAt(index) })),
  );
  return figure(`${name}; ${best}`, chart, legend, {
    heads: ['sessions', 'depth', 'pool', 'TPS', 'trials'],
    rows: points.map((point) => [
      String(point.sessions),
      String(point.depth),
      point.poolSize === undefined ? '' : String(point.poolSize),
      point.status === 'ok' ? exact(point.tps) : `void: ${point.reason}`,
      point.status === 'ok' ? String(point.trials ?? 1) : '',
    ]),
  });
}
