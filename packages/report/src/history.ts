import { changePointMethod, type Series, type TargetHistory } from '@fair-bench/analysis';
import { formatNumber, formatRatio, plural, plusMinus } from './sections/format.ts';
import { left, right, type Section, tableOf } from './sections/section.ts';
import { renderChart } from './terminal-chart.ts';
import { renderTable } from './terminal-table.ts';

type Point = Series['points'][number];
type Change = Series['changes'][number];

/** A target's throughput over the runs of a machine, as text: for each cell a chart, what changed, and a table. */
export function renderHistory(history: TargetHistory, width: number): string {
  const parts = [
    historyTitle(history),
    ...historyNotes(history),
    ...history.series.flatMap((series) => [
      seriesTitle(series),
      ...(series.points.length < 2 ? [] : [chartOf(series, width)]),
      findingsOf(series)
        .map((line) => `  ${line}`)
        .join('\n'),
      renderTable(pointsTable(series), width),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function historyTitle({ target, machine }: TargetHistory): string {
  return `${target} on ${machine.cpuModel}, ${plural(machine.cores, 'core')}, kernel ${machine.kernel}`;
}

/** What applies to all series. */
export function historyNotes({ elsewhere }: TargetHistory): readonly string[] {
  return [
    changePointMethod,
    ...(elsewhere === 0 ? [] : [`${plural(elsewhere, 'run')} of other machines left out.`]),
  ];
}

export function seriesTitle({ id, points }: Series): string {
  return `${id}: ${plural(points.length, 'run')}`;
}

/** The changes in sentences. */
export function findingsOf({ points, changes }: Series): readonly string[] {
  if (changes.length === 0) return ['No change point.'];
  return changes.map((change) => describe(change, points[change.at]));
}

function describe({ ratio, pValue, differs }: Change, point: Point | undefined): string {
  const what = ratio < 1 ? 'slower' : 'faster';
  const why = differs.length === 0 ? 'no recorded setting changed' : differs.join(', ');
  return `${what} from ${point?.run.folder ?? ''} on: ${formatRatio(ratio)} × (p = ${pValue.toPrecision(2)}); ${why}`;
}

function chartOf({ points, changes }: Series, width: number): string {
  return renderChart({
    values: points.map(({ tps }) => tps.mean),
    levels: points.map(({ level }) => level),
    marks: changes.map(({ at }) => at),
    width,
  });
}

export function pointsTable({ points, changes }: Series): NonNullable<Section['table']> {
  const changed = new Map(changes.map((change) => [points[change.at], change]));
  const columns = [
    left('run', ({ run }: Point) => run.folder),
    right('TPS', ({ tps }: Point) => formatNumber(tps.mean)),
    right('± 95 %', ({ tps: { mean, ci95 } }: Point) => plusMinus(mean, ci95, '1 round')),
    right('rounds', ({ cell }: Point) => String(cell.trials.length)),
    left('version', ({ cell }: Point) => cell.version),
    left('commit', ({ run }: Point) => run.commit?.replace(/^([0-9a-f]{9})[0-9a-f]+/, '$1') ?? '–'),
    left('change', (point: Point) => {
      const change = changed.get(point);
      return change === undefined ? '' : `${formatRatio(change.ratio)} ×`;
    }),
  ];
  return tableOf(columns, points);
}
