import { formatNumber } from '../../sections/format.ts';
import { barChart } from '../charts/bar-chart.ts';
import type { CellGroup, Evidence } from '../evidence.ts';
import { exact, figure, exactEnds } from '../figure.ts';
import type { Markup } from '../markup.ts';
import { type MeasuredCell } from '@fair-bench/results';

/** Throughput of the cells of each load side by side, with their intervals. */
export function throughputFigures({ groups, styleOf }: Evidence): readonly Markup[] {
  return groups.map((group) => {
    const name = `Throughput at ${group.name}`;
    const measured = group.cells.map((cell) => ({
      name: group.nameOf(cell),
      value: tpsOf(cell),
      stretches: [{ from: 0, to: cell.tps.mean, style: styleOf(cell.target) }],
      ci95: cell.tps.ci95,
    }));
    const unmeasured = group.unmeasured.map((cell) => {
      return { name: group.nameOf(cell), value: cell.status, stretches: [] };
    });
    const chart = barChart({
      label: `${name}: ${inWords(group)}`,
      title: 'TPS, with 95 % interval',
      bars: [...measured, ...unmeasured],
    });
    return figure(name, chart, null, {
      heads: ['cell', 'TPS', '95 % low', '95 % high', ...roundHeads(group.cells)],
      rows: group.cells
        .map((cell) => [
          group.nameOf(cell),
          exact(cell.tps.mean),
          ...exactEnds(cell.tps.ci95),
          ...cell.tps.trials.map(exact),
        ])
        .concat(group.unmeasured.map((cell) => [group.nameOf(cell), cell.status, '–', '–'])),
    });
  });
}

function tpsOf({ tps: { mean, ci95 } }: MeasuredCell): string {
  const error = ci95 === null ? '' : ` ± ${formatNumber(ci95[1] - mean)}`;
  return `${formatNumber(mean)}${error}`;
}

function inWords(group: CellGroup): string {
  return [
    ...group.cells.map((cell) => `${group.nameOf(cell)} ${tpsOf(cell)}`),
    ...group.unmeasured.map((cell) => `${group.nameOf(cell)} ${cell.status}`),
  ].join('; ');
}

function roundHeads(cells: readonly MeasuredCell[]): readonly string[] {
  const rounds = Math.max(0, ...cells.map(({ tps }) => tps.trials.length));
  return Array.from({ length: rounds }, (_, round) => `round ${round + 1}`);
}
