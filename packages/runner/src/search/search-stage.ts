import type { RunPlan, Search, SearchBounds } from '@fair-bench/results';
import { settledPlan } from '../plan/settled-plan.ts';
import { Contest } from './contest.ts';
import { candidateOf, loadOf, Race, type RaceStage, rateTrialsMax } from './race.ts';
import { Terrain } from './terrain.ts';

export interface SearchStage extends RaceStage {
  readonly onFound: (line: string) => void;
}

export interface SearchFindings {
  /** The plan of the rounds: the best cell of each contest at its best point, without a search. */
  readonly plan: RunPlan;
  readonly search: readonly Search[];
}

/** The most trials of a plan's search; 0 without one. */
export function searchTrialsMax({ search }: Pick<RunPlan, 'search'>): number {
  if (search === undefined) return 0;
  const ofRates = search.p99MaxMs === undefined ? 0 : rateTrialsMax;
  return search.contests.length * (search.trialsMax + ofRates);
}

/**
 * Finds the best point of every contest within the bounds. The contests take turns, so that a search that ends early
 * has something of each.
 */
export async function searchBestPoints(stage: SearchStage, bounds: SearchBounds): Promise<SearchFindings> {
  const races = racesOf(stage, bounds);
  let due = races;
  // Each has at least one trial, however long the start took.
  for (let turn = 0; due.length > 0 && !stage.signal.aborted; turn += 1) {
    const stillDue: Race[] = [];
    for (const race of due) {
      if (stage.signal.aborted || (turn > 0 && isOver(stage, bounds))) break;
      if (await race.step()) stillDue.push(race);
    }
    due = stillDue;
  }
  for (const race of races) {
    if (!stage.signal.aborted) await race.findRate();
    stage.onFound(race.describe());
  }
  return {
    plan: settledPlan(
      stage.plan,
      races.flatMap((race) => race.cells()),
    ),
    search: races.flatMap((race) => race.findings()),
  };
}

function isOver({ elapsedMs }: SearchStage, { endsAtMs }: SearchBounds): boolean {
  return endsAtMs !== undefined && elapsedMs() >= endsAtMs;
}

/** A contest of one system is the neighbour of its others. */
function racesOf(stage: SearchStage, bounds: SearchBounds): readonly Race[] {
  const terrains = new Map<string, { readonly terrain: Terrain; readonly first: Contest }>();
  return bounds.contests.map(({ name, system, cells: ids, sessions = bounds.sessions }) => {
    const cells = stage.plan.cells.filter(({ id }) => ids.includes(id));
    const measurable = cells.filter((cell) => stage.lacking(cell) === null);
    const [start = { sessions: 1, depth: 1 }] = cells;
    const known = terrains.get(system);
    const terrain = known?.terrain ?? new Terrain();
    const contest = new Contest(
      {
        ...bounds,
        sessions,
        name,
        candidates: measurable.map((cell) => candidateOf(cell, stage.plan, bounds)),
        start: loadOf(start),
        neighbour: known?.first,
      },
      terrain,
    );
    if (known === undefined) terrains.set(system, { terrain, first: contest });
    return new Race(stage, bounds, { name, system, cells, contest });
  });
}
