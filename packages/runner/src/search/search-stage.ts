import {
  type Cell,
  type RunPlan,
  type Search,
  type SearchBounds,
  type TrialRecord,
  combinationOf,
  voidsBefore,
  meanOf,
} from '@fair-bench/results';
import type { TrialRun } from '../measure/trial-plan.ts';
import { atPoint } from '../plan/assemble-plan.ts';
import { settledPlan } from '../plan/settled-plan.ts';
import { edgesOf, findBest, type Point, Trials, trialsMax } from './find-best.ts';

/** A point so slow that its window would need more is void: the search does not wait for it. */
const lengthenedMax = 10;

export interface SearchStage {
  readonly plan: RunPlan;
  /** Whether the cell can be measured at all. */
  readonly isMeasurable: (cell: Cell) => boolean;
  /** One audited trial of the cell; its record is stored with those of the search. */
  readonly measure: (run: TrialRun, cell: Cell) => Promise<TrialRecord>;
  readonly onFound: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface SearchFindings {
  /** The plan of the rounds: every cell at its best point, without a search. */
  readonly plan: RunPlan;
  readonly search: readonly Search[];
}

type Searched = Pick<SearchStage, 'plan'> & Partial<Pick<SearchStage, 'isMeasurable'>>;

/** The cells that are searched: the others follow one of them. */
function searchedCells({ plan, isMeasurable = () => true }: Searched, bounds: SearchBounds): Cell[] {
  return plan.cells.filter((cell) => bounds.followers[cell.id] === undefined && isMeasurable(cell));
}

/** The most trials of all searches of a plan; 0 without a search. */
export function searchTrialsMax(stage: Searched): number {
  const { search } = stage.plan;
  if (search === undefined) return 0;
  return searchedCells(stage, search).reduce((sum, cell) => sum + trialsMax(search, pointOf(cell)), 0);
}

/**
 * Finds the best point, within the plan's bounds, of every cell of the plan that follows no other. A cell without a
 * passed point keeps its own: its rounds show why.
 */
export async function searchBestPoints(stage: SearchStage, bounds: SearchBounds): Promise<SearchFindings> {
  const { plan, signal } = stage;
  const search: Search[] = [];
  const chosen = new Map<string, Point>();
  for (const cell of searchedCells(stage, bounds)) {
    if (signal.aborted) break;
    const found = await searchFor(stage, bounds, cell);
    search.push(found);
    if (found.chosen !== null) chosen.set(cell.id, found.chosen);
    stage.onFound(describe(cell, found));
  }
  const bestFor = (cell: Cell): Point => chosen.get(bounds.followers[cell.id] ?? cell.id) ?? pointOf(cell);
  return { plan: settledPlan(plan, (cell) => atPoint(cell, bestFor(cell))), search };
}

async function searchFor(stage: SearchStage, bounds: SearchBounds, cell: Cell): Promise<Search> {
  const { plan, signal } = stage;
  const { warmupMs, windowMs } = bounds;
  const windowMsMax = windowMs * lengthenedMax;
  const run = { ...plan, timing: { ...plan.timing, warmupMs, windowMs, windowMsMax } };
  const reasons = new Map<string, string>();
  let voids = 0;
  const trials = new Trials();
  const pools = cell.poolSize === undefined ? [] : bounds.pools;
  const search = findBest({ ...bounds, pools }, pointOf(cell), trials);
  let step = search.next();
  while (step.done !== true && !signal.aborted) {
    const at = atPoint(cell, step.value);
    const record = await stage.measure(run, at);
    voids += voidsBefore(record).length;
    if (record.status !== 'ok') reasons.set(at.id, record.reason);
    step = search.next(record.status === 'ok' ? record.tps : null);
  }
  // An interrupted search has the best so far.
  const best = step.done === true ? step.value : (trials.ranked()[0]?.point ?? null);
  return {
    target: cell.target,
    client: cell.client,
    ...combinationOf(cell),
    durability: plan.targets.find(({ target }) => target === cell.target)?.durability ?? 'durable',
    points: trials.all().map((tried): Search['points'][number] => {
      const reason = reasons.get(atPoint(cell, tried.point).id) ?? '';
      return tried.tps.length === 0
        ? { status: 'void', ...tried.point, reason }
        : { status: 'ok', ...tried.point, tps: meanOf(tried.tps), trials: tried.tps.length };
    }),
    chosen: best,
    edges: best === null ? [] : edgesOf({ ...bounds, pools }, best),
    ...(voids === 0 ? {} : { voidsMeasuredAgain: voids }),
  };
}

function pointOf({ sessions, depth, poolSize }: Cell): Point {
  return { sessions, depth, ...(poolSize === undefined ? {} : { poolSize }) };
}

function describe(cell: Cell, { chosen, points, edges }: Search): string {
  // Its own id names the point at which the search began.
  const { id } = chosen === null ? cell : atPoint(cell, chosen);
  if (chosen === null) return `${id}: none of ${points.length} points passed`;
  const at = edges.length === 0 ? '' : `, at the grid's edge in ${edges.join(' and ')}`;
  return `${id}: the fastest of ${points.length} points${at}`;
}
