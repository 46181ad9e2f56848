import type { CellSummary, Comparison, RunSummary, Search } from '@fair-bench/results';
import { axisColumns, byCombination, parameterText, workloadAxes } from './axes.ts';
import { comparisonColumns, explainRatios } from './comparisons.ts';
import { absent, formatNumber, plural } from './format.ts';
import { bestPointsOf, describeBestPoint, placeOf } from './best-points.ts';
import { byThroughput, describeStarts, resultColumnsOf } from './results.ts';
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
    `${run.workload}, optimized mode: each system at its best point, by the route, client and load that the search found, ` +
      `${plural(run.rounds, 'round')} of ${formatNumber(run.durationMs / 1000)} s after ${formatNumber(run.warmupMs / 1000)} s of warm-up, longer for a cell with a long latency, ` +
      `loop ${run.loop}, seed ${run.seed}. TPS: applied operations per second as the load client counted them, mean over rounds.`,
    ...(run.notes ?? []),
  ];
  return durabilitiesOf(cells).map((durability, index) => {
    const own = cells.filter((cell) => cell.durability === durability && cell.status !== 'unavailable');
    return {
      title: `Results: ${tableName(durability, cells)}`,
      lines: [...(index === 0 ? lines : []), ...describeStarts({ cells: own })],
      table: tableOf(
        [
          ...axisColumns(cells, [...workloadAxes(cells), 'client', 'sessions', 'depth', 'rate']),
          ...resultColumnsOf(own),
        ],
        byCombination(own.toSorted(byThroughput), workloadAxes(cells)),
      ),
    };
  });
}

/** What each route and client reached at every point that was tried: evidence that none was hidden. */
export function searchSection(summary: RunSummary): readonly Section[] {
  const { search = [] } = summary;
  const [first] = search;
  if (first === undefined) return [];
  const { zone, p99MaxMs } = first;
  const rule =
    p99MaxMs !== undefined
      ? `The best point is the fastest one whose p99 is at most ${formatNumber(p99MaxMs)} ms.`
      : `The best point has the fewest operations in flight of those within ${formatNumber(zone * 100)} % of the fastest: more would cost latency and gain no more than that.`;
  const lines = [
    'Every point of the search, by sessions × depth, with the pool where it is searched too: mean throughput and the number of short audited trials. It chose points; only the rounds give results.',
    rule,
    ...bestPointsOf(summary).map(describeBestPoint),
    ...(search.some(({ edges }) => edges.length > 0)
      ? [
          'A fastest point at an edge of the grid may have a faster one beyond it: --sessions, --depth and --pool-size look further.',
        ]
      : []),
    ...search.flatMap(({ target, client, unavailable }) =>
      unavailable === undefined ? [] : [`${target}, ${client} client: not tried: ${unavailable}`],
    ),
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
      const title = `${titles[kind]}, ${tableName(durability, cells)}`;
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
  left('of', ({ contest }) => contest),
  left('target', ({ target }) => target),
  left('client', ({ client }) => client),
  ...workloadAxes(all).map((name) =>
    right<Search>(name, ({ parameters }) => String(parameterText(parameters[name]))),
  ),
  right('reached TPS', ({ points }) => reachedText(points)),
  left('points tried', ({ points }) => points.map(triedText).join(', ')),
  left('chosen', chosenText),
];

function reachedText(points: Search['points']): string {
  const reached = points.flatMap((point) => (point.status === 'ok' ? [point.tps] : []));
  return reached.length === 0 ? absent : formatNumber(Math.max(...reached));
}

function chosenText({ chosen, edges }: Search): string {
  const at = edges.length === 0 ? '' : ` (fastest at the edge of ${edges.join(' and ')})`;
  return chosen === null ? at.trim() : `${placeOf(chosen)}${at}`;
}

function triedText(point: Search['points'][number]): string {
  const where = placeOf(point, '×');
  if (point.status === 'ok') return `${where}: ${formatNumber(point.tps)} (${point.trials ?? 1})`;
  return `${where}: void (${point.reason})`;
}

function pointText(point: NonNullable<Comparison['points']>['baseline'] | undefined): string {
  return point === undefined ? absent : `${point.client}, ${point.sessions} × ${point.depth}`;
}

/** In optimized mode all cells have one batch. */
function tableName(durability: Durability, [first]: readonly CellSummary[]): string {
  const { batch = 1 } = first ?? {};
  return batch === 1 ? tables[durability] : `${tables[durability]}, per batch of ${batch} operations`;
}

function durabilitiesOf(cells: readonly CellSummary[]): readonly Durability[] {
  return (['durable', 'async'] as const).filter((one) => cells.some(({ durability }) => durability === one));
}
