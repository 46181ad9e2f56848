import type { CellSummary, Comparison, RunSummary, Search } from '@fair-bench/results';
import { axisColumns, byCombination, parameterText, workloadAxes } from './axes.ts';
import { comparisonColumns, explainRatios } from './comparisons.ts';
import { absent, formatNumber, plural } from './format.ts';
import { byThroughput, describeStarts, resultColumns } from './results.ts';
import { type ColumnOf, left, right, type Section, tableOf } from './section.ts';

type Durability = Search['durability'];

const tables: Readonly<Record<Durability, string>> = {
  durable: 'durable commits',
  async: 'async commits: a crash loses what was acknowledged last',
};

/** The tables of optimized mode, one per durability, which never share a line. */
export function optimizedResults(summary: RunSummary): readonly Section[] {
  const { run, cells } = summary;
  const lines = [
    `${run.workload}, optimized mode: each target by its fastest client at the sessions and depth where the search found it fastest, ` +
      `${plural(run.rounds, 'round')} of ${formatNumber(run.durationMs / 1000)} s after ${formatNumber(run.warmupMs / 1000)} s of warm-up, longer for a cell with a long latency, ` +
      `loop ${run.loop}, seed ${run.seed}. TPS: applied operations per second as the load client counted them, mean over rounds.`,
    ...describeStarts(summary),
    ...(run.notes ?? []),
  ];
  return durabilitiesOf(cells).map((durability, index) => ({
    title: `Results: ${tables[durability]}`,
    lines: index === 0 ? lines : [],
    table: tableOf(
      [...axisColumns(cells, [...workloadAxes(cells), 'client', 'sessions', 'depth']), ...resultColumns],
      byCombination(
        cells
          .filter((cell) => cell.durability === durability && cell.status !== 'unavailable')
          .toSorted(byThroughput),
        workloadAxes(cells),
      ),
    ),
  }));
}

/** Every point tried for each target, with its result: evidence that none was hidden. */
export function searchSection({ search = [] }: RunSummary): readonly Section[] {
  if (search.length === 0) return [];
  const lines = [
    'Every point of the search: sessions × depth, with the pool where it is searched too: mean throughput and the number of short audited trials; the best points have more of them. The rounds measured the chosen point.',
    ...(search.some(({ edges }) => edges.length > 0)
      ? [
          'A best point at an edge of the grid may have a better one beyond it: --sessions, --depth and --pool-size look further.',
        ]
      : []),
    ...search.flatMap(({ target, client, voidsMeasuredAgain: voids = 0 }) =>
      voids === 0 ? [] : [`${target}, ${client} client: ${plural(voids, 'void trial')} measured again.`],
    ),
  ];
  return [{ title: 'Search', lines, table: tableOf(searchColumns(search), search) }];
}

/** Comparisons by their kind; none mixes two durabilities. */
export function optimizedComparisons(summary: RunSummary): readonly Section[] {
  const { comparisons, cells } = summary;
  const kinds = ['best-points', 'clients', 'profiles'] as const;
  return durabilitiesOf(cells).flatMap((durability) =>
    kinds.flatMap((kind) => {
      const rows = comparisons.filter((one) => one.durability === durability && one.of === kind);
      if (rows.length === 0) return [];
      const title = `${titles[kind]}, ${tables[durability]}`;
      const columns = [...axisColumns(rows, workloadAxes(rows)), ...pointColumns, ...comparisonColumns];
      const table = tableOf(columns, byCombination(rows, workloadAxes(rows)));
      return [{ title, lines: explainRatios(summary), table }];
    }),
  );
}

const titles: Readonly<Record<NonNullable<Comparison['of']>, string>> = {
  'best-points': 'Comparisons of best points',
  clients: 'Comparisons of load clients on one route at one point',
  profiles: 'Comparisons of tuning profiles',
};

const pointColumns: readonly ColumnOf<Comparison>[] = [
  left('baseline by', ({ points }) => pointText(points?.baseline), 'load'),
  left('contender by', ({ points }) => pointText(points?.contender), 'load'),
];

const searchColumns = (all: readonly Search[]): readonly ColumnOf<Search>[] => [
  left('target', ({ target }) => target),
  left('client', ({ client }) => client),
  ...workloadAxes(all).map((name) =>
    right<Search>(name, ({ parameters = {} }) => String(parameterText(parameters[name]))),
  ),
  left('points tried', ({ points }) => points.map(triedText).join(', ')),
  left('chosen', chosenText),
];

function chosenText({ chosen, edges }: Search): string {
  if (chosen === null) return 'none passed';
  const at = edges.length === 0 ? '' : `, at the edge of ${edges.join(' and ')}`;
  return `${placeOf(chosen, ' × ')}${at}`;
}

function placeOf(point: NonNullable<Search['chosen']>, times: string): string {
  const pool = point.poolSize === undefined ? '' : `, pool ${point.poolSize}`;
  return `${point.sessions}${times}${point.depth}${pool}`;
}

function triedText(point: Search['points'][number]): string {
  const where = placeOf(point, '×');
  if (point.status === 'ok') return `${where}: ${formatNumber(point.tps)} (${point.trials ?? 1})`;
  return `${where}: void (${point.reason})`;
}

function pointText(point: NonNullable<Comparison['points']>['baseline'] | undefined): string {
  return point === undefined ? absent : `${point.client}, ${point.sessions} × ${point.depth}`;
}

function durabilitiesOf(cells: readonly CellSummary[]): readonly Durability[] {
  return (['durable', 'async'] as const).filter((one) => cells.some(({ durability }) => durability === one));
}
