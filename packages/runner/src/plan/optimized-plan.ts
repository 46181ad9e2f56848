import type { ClientName, RunPlan, SearchBounds } from '@fair-bench/results';
import { codeInDatabase } from '@fair-bench/contract';
import type { RunOptions } from '../options/run-options.ts';
import type { FoundConnector } from '../discover/workspace.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import { pointsOf } from './parameters.ts';
import { assemblePlan, type CellSpec, cellId } from './assemble-plan.ts';
import type { TargetDefinition } from '../targets/definition.ts';
import { definitionOf } from '../targets/known-targets.ts';
import { variantsOf } from './variants.ts';

/** As many as the default grid has. */
const pointsMax = 12;
/** More trials at the top; optimize-finds-the-best-in-noise.test.ts shows the gain. */
const rungs = [
  { points: 6, trials: 1 },
  { points: 3, trials: 6 },
] as const;
/** A point's trial is short: it ranks points and is not a result. */
const searchWarmupMsMax = 300;
const searchWindowMsMax = 800;

export interface OptimizedPlanInput {
  readonly id: string;
  readonly command: readonly string[];
  readonly options: RunOptions;
  /** What was requested. */
  readonly targets: readonly TargetDefinition[];
  readonly connectors: readonly FoundConnector[];
  readonly workload: LoadedWorkload;
}

export interface OptimizedPlan {
  readonly plan: RunPlan;
  /** Of the plan's targets. */
  readonly definitions: readonly TargetDefinition[];
  /** Names of the requested targets. */
  readonly requested: readonly string[];
}

/**
 * The plan of optimized mode: each target by its fastest client, from the middle of the grid, in one table of durable
 * and one of async commits. For a target behind an application server, its system's direct route is added. Where the
 * native client is the fastest, the Node client measures the same route at the same point, which shows the client's
 * part.
 */
export function buildOptimizedPlan(input: OptimizedPlanInput): OptimizedPlan {
  const { id, command, options, targets, workload } = input;
  const { durability = 'both', profile = 'default' } = options;
  const joined = directRoutes(input);
  const requested = variantsOf(targets, { durability, profile });
  const variants = variantsOf([...targets, ...joined.map(({ definition }) => definition)], {
    durability,
    profile,
  });
  const cells = variants.targets.flatMap((target) => cellsOf(target, options, workload));
  const search: SearchBounds = {
    ...searchBounds(options),
    pools: poolsAround(options.poolSize),
    followers: Object.fromEntries(
      cells.flatMap(({ spec, leader }) => (leader === null ? [] : [[cellId(spec), cellId(leader)]])),
    ),
  };
  const notes = [...joined.map(({ note }) => note), ...variants.notes];
  const specs = cells.map(({ spec }) => spec);
  return {
    plan: assemblePlan({ id, mode: options.mode, command, options, specs, workload, search, notes }),
    definitions: variants.targets,
    requested: requested.targets.map(({ target }) => target),
  };
}

/** The bounds of a search on this grid; nothing follows anything. */
export function searchBounds(
  options: Pick<RunOptions, 'sessions' | 'depth' | 'warmup' | 'duration'>,
): SearchBounds {
  return {
    sessions: ascending(options.sessions),
    depths: ascending(options.depth),
    pointsMax,
    rungs: [...rungs],
    warmupMs: Math.min(options.warmup, searchWarmupMsMax),
    windowMs: Math.min(options.duration, searchWindowMsMax),
    pools: [],
    followers: {},
  };
}

/** The direct routes of systems that were requested behind an application server, found in their manifests. */
function directRoutes({ targets, connectors }: OptimizedPlanInput) {
  const present = new Set(targets.map(({ connector }) => connector.name));
  return connectors
    .filter(({ name, isBound, manifest: { clients, factors } }) => {
      const isDirect = factors.hop === 'none' && codeInDatabase.includes(factors.dataAccess);
      const isDriven = clients.native !== undefined && isBound;
      return isDirect && isDriven && !present.has(name);
    })
    .flatMap((connector) => {
      const behind = targets.filter(
        ({ configured, connector: { manifest } }) =>
          !configured &&
          manifest.system === connector.manifest.system &&
          manifest.factors.hop === 'rpc-server',
      );
      const [first] = behind;
      if (first === undefined) return [];
      const url = first.url === null ? [] : [{ system: first.system, url: first.url }];
      const definition = definitionOf(connector, { ...first.settings, url });
      const names = behind.map(({ target }) => target).join(' and ');
      const note = `${connector.name} joins ${names}: the native client reaches the same system without the application server, which is its fastest honest way.`;
      return [{ definition, note }];
    });
}

interface PlannedCell {
  readonly spec: CellSpec;
  /** The cell whose point it uses; null for one with its own search. */
  readonly leader: CellSpec | null;
}

function cellsOf(
  target: TargetDefinition,
  options: RunOptions,
  workload: LoadedWorkload,
): readonly PlannedCell[] {
  const [sessions, depth] = [middle(options.sessions), middle(options.depth)];
  return pointsOf(workload, options).flatMap((point, index) => {
    const clients = options.client ?? defaultClients(target, index === 0);
    const poolSize = target.connector.manifest.factors.pool ? target.settings.poolSize : undefined;
    const specs = clients.map((client) => ({ target, client, point, sessions, depth, poolSize }));
    const native = specs.find(({ client }) => client === 'native') ?? null;
    return specs.map((spec) => ({ spec, leader: spec === native ? null : native }));
  });
}

/**
 * The Node client beside the native one shows the cost of the client's language: once per route, at the first point
 * of the workload and with durable commits, so that the run does not take twice as long.
 */
function defaultClients(
  { connector, settings }: TargetDefinition,
  isFirstPoint: boolean,
): readonly ClientName[] {
  if (connector.manifest.clients.native === undefined) return ['node'];
  const isPlain = settings.durability === 'durable' && settings.profile === 'default';
  return isPlain && isFirstPoint && connector.nodeClientPath !== null ? ['node', 'native'] : ['native'];
}

/** A quarter of the pool, the pool, and twice the pool. */
function poolsAround(poolSize: number): number[] {
  return [...new Set([Math.ceil(poolSize / 4), poolSize, poolSize * 2])];
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

function middle(values: readonly number[]): number {
  return ascending(values)[Math.floor(values.length / 2)] ?? 1;
}
