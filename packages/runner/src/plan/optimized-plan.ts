import type { Cell, ClientName, RunPlan, SearchBounds } from '@fair-bench/results';
import { searchGrid, type RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { assemblePlan, type CellSpec, cellId } from './assemble-plan.ts';
import type { PlanInput } from './build-plan.ts';
import { fitPlan, type PlanSize, requestedBudgetMs } from './fit-plan.ts';
import { pointsOf } from './parameters.ts';
import { leastMs } from './timing.ts';
import { variantsOf } from './variants.ts';

/** Of one system; optimize-finds-the-best-in-noise.test.ts shows what they find. */
const trialsMax = 25;
/** Of a round's window: the rest of a trial costs as much, and longer windows vary less. */
const searchWindowFactor = 2;
/** The fewest trials of each system that a search needs. */
const searchTrialsLeast = 3;
/** Without --budget: of the whole command, unless what was requested needs more. */
const budgetMsDefault = 600_000;
/** Of the budget: the rounds alone give results, so they get at least as much as the search. */
const searchShare = 0.5;
/** As far as the default grid is extended. */
const sessionsMax = 1600;
const depthMax = 256;
/** The point of fair mode, where every candidate is tried first: what is chosen was compared with it. */
const startNear = { sessions: 50, depth: 8 } as const;

export interface PlannedRun {
  readonly plan: RunPlan;
  /** Of the plan's targets. */
  readonly definitions: readonly TargetDefinition[];
  /** Names of the requested targets. */
  readonly requested: readonly string[];
}

/** One table's search for one system's best point. */
interface PlannedContest {
  readonly name: string;
  readonly system: string;
  readonly combination: number;
  /** The likely fastest first. */
  readonly specs: readonly CellSpec[];
}

/**
 * The plan of optimized mode: its cells are candidates, and each contest among them is for the best point of one
 * system, by any route and client, at one combination, durability and profile. A target that is named holds its route;
 * a client that is named has contests of its own. The winners go to the rounds.
 */
export function buildOptimizedPlan(input: PlanInput): PlannedRun {
  const { id, command, options, targets, workload } = input;
  const { durability = 'durable', profile = 'default' } = options;
  const variants = variantsOf(targets, { durability, profile });
  const all = contestsOf(variants.targets, options, workload);
  const bounds = searchBounds(options);
  const { contests, rounds, notes } = fitted(all, options, bounds);
  const specs = contests.flatMap((contest) => contest.specs);
  const budgetMs = Math.round(
    requestedBudgetMs(options) ?? Math.max(budgetMsDefault, needMs(contests, options, bounds, rounds)),
  );
  const search: SearchBounds = {
    ...bounds,
    pools: poolsAround(options.poolSize),
    contests: contests.map((contest) => ({
      name: contest.name,
      system: contest.system,
      cells: contest.specs.map(cellId),
    })),
    endsAtMs: Math.round(budgetMs * searchShare),
  };
  const planned = new Set(specs.map(({ target }) => target.target));
  return {
    plan: assemblePlan({
      id,
      mode: options.mode,
      command,
      options: { ...options, budget: requestedBudgetMs(options), budgetDefault: budgetMs },
      specs,
      workload,
      search,
      rounds,
      notes: [...notes, ...variants.notes],
    }),
    definitions: variants.targets.filter(({ target }) => planned.has(target)),
    requested: variants.targets.map(({ target }) => target),
  };
}

/** The bounds of a search on this grid, without contests. */
export function searchBounds(
  options: Pick<RunOptions, 'sessions' | 'depth' | 'duration'> &
    Partial<Pick<RunOptions, 'zone' | 'p99Max' | 'quick'>>,
): SearchBounds {
  const [sessions, depths] = [ascending(options.sessions), ascending(options.depth)];
  const isDefault = (values: readonly number[], grid: string): boolean => values.join(',') === grid;
  return {
    contests: [],
    sessions,
    depths,
    sessionsMax: isDefault(sessions, searchGrid.sessions) ? sessionsMax : Math.max(...sessions),
    depthMax: isDefault(depths, searchGrid.depth) ? depthMax : Math.max(...depths),
    pools: [],
    zone: options.zone ?? 0.05,
    ...(options.p99Max === undefined ? {} : { p99MaxMs: options.p99Max }),
    trialsMax,
    windowMs: options.quick === true ? options.duration : options.duration * searchWindowFactor,
  };
}

/** Contests of one combination lie together, the first combination first. */
function contestsOf(
  targets: readonly TargetDefinition[],
  options: RunOptions,
  workload: LoadedWorkload,
): readonly PlannedContest[] {
  const points = pointsOf(workload, options);
  const groups = [...Map.groupBy(targets, (target) => contestKey(target, options)).values()];
  const start = {
    sessions: nearest(options.sessions, startNear.sessions),
    depth: nearest(options.depth, startNear.depth),
  };
  const [batch = 1] = options.batch;
  return points.flatMap((point, combination) =>
    groups.flatMap((group) => {
      const specs = group.flatMap((target) =>
        clientsOf(target, options).map((client): CellSpec => {
          const poolSize = target.connector.manifest.factors.pool ? target.settings.poolSize : undefined;
          return { target, client, point, ...start, batch, poolSize };
        }),
      );
      const tables = options.client === undefined ? [specs] : byClient(specs);
      return tables.map((table): PlannedContest => {
        const [first] = table;
        const by =
          options.client === undefined || options.client.length < 2 ? '' : `, ${first?.client} client`;
        const at = points.length < 2 ? '' : ` at ${point.label.slice(1)}`;
        const system = group[0]?.system ?? '';
        return {
          name: `${nameOf(group, options)}${at}${by}`,
          system,
          combination,
          specs: table.toSorted((a, b) => rankOf(a) - rankOf(b)),
        };
      });
    }),
  );
}

function byClient(specs: readonly CellSpec[]): readonly (readonly CellSpec[])[] {
  return [...Map.groupBy(specs, ({ client }) => client).values()];
}

/** Routes of one system compete, unless a route is named or the user configured it. */
function contestKey(definition: TargetDefinition, options: RunOptions): string {
  const { settings, system, target } = definition;
  const of = isHeld(definition, options) ? target : system;
  return JSON.stringify([of, settings.durability, settings.profile]);
}

function isHeld({ configured, system }: TargetDefinition, { systems }: RunOptions): boolean {
  return configured || (systems !== undefined && !systems.includes(system));
}

function nameOf(group: readonly TargetDefinition[], options: RunOptions): string {
  const [first] = group;
  if (first === undefined) return '';
  if (isHeld(first, options)) return first.target;
  const { durability, profile } = first.settings;
  const marks = [profile === 'default' ? [] : [profile], durability === 'durable' ? [] : [durability]].flat();
  return marks.length === 0 ? first.system : `${first.system}@${marks.join('-')}`;
}

function clientsOf({ connector }: TargetDefinition, { client }: RunOptions): readonly ClientName[] {
  if (client !== undefined) return client;
  return [
    ...(connector.manifest.clients.native === undefined ? [] : (['native'] as const)),
    ...(connector.nodeClientPath === null ? [] : (['node'] as const)),
  ];
}

/** A guess of the order, for a search that has no time for all. */
function rankOf({ target: { connector }, client }: CellSpec): number {
  const { hop, dataAccess } = connector.manifest.factors;
  return (hop === 'none' ? 0 : 2) + (dataAccess === 'orm' ? 4 : 0) + (client === 'native' ? 0 : 1);
}

function fitted(all: readonly PlannedContest[], options: RunOptions, bounds: SearchBounds) {
  const combinations = Math.max(0, ...all.map(({ combination }) => combination)) + 1;
  const candidates = Math.max(1, ...all.map(({ specs }) => specs.length));
  const chosen = (size: PlanSize): readonly PlannedContest[] =>
    all
      .filter(({ combination }) => combination < size.combinations)
      .map((contest) => ({ ...contest, specs: contest.specs.slice(0, size.candidates) }));
  const size = fitPlan(options, { combinations, candidates }, (one) =>
    needMs(chosen(one), options, bounds, one.rounds),
  );
  return { contests: chosen(size), rounds: size.rounds, notes: size.notes };
}

/** The expected time of these rounds, and of a search, on its own servers, with a few trials more than it has candidates. */
function needMs(
  contests: readonly PlannedContest[],
  options: RunOptions,
  { windowMs }: SearchBounds,
  rounds: number,
): number {
  const winners = contests.flatMap(({ specs: [first] }) => first ?? []);
  const specs = contests.flatMap((contest) => contest.specs);
  const searching = { warmup: options.warmup, duration: windowMs };
  const startMs = leastMs(specs, 0, searching);
  const roundsMs = leastMs(winners, rounds, options) - leastMs(winners, 0, options);
  const trialMs = leastMs(winners.slice(0, 1), 1, searching) - leastMs(winners.slice(0, 1), 0, searching);
  const trials = contests.reduce((sum, contest) => sum + contest.specs.length + searchTrialsLeast, 0);
  return startMs + roundsMs + trials * trialMs;
}

/** A quarter of the pool, the pool, and twice the pool. */
function poolsAround(poolSize: number): number[] {
  return [...new Set([Math.ceil(poolSize / 4), poolSize, poolSize * 2])];
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function nearest(values: readonly number[], wanted: number): Cell['depth'] {
  const distance = (value: number): number => Math.abs(Math.log(value / wanted));
  return values.toSorted((a, b) => distance(a) - distance(b))[0] ?? wanted;
}
