import { runPlanSchema, type Cell, type PlannedTarget, type RunPlan } from '@fair-bench/contract';
import type { RunOptions } from '../cli/run-options.ts';
import type { LoadedWorkload, Catalog, FoundConnector } from '../discover/index.ts';
import { badOption } from '../input-error.ts';
import { deepFreeze } from './deep-freeze.ts';
import { workloadParameters } from './parameters.ts';
import { redactCommand, redactUrl } from './redact.ts';
import { selectTargets, suggestion, systemNames } from './select-targets.ts';
import { shuffled, splitMix64 } from './shuffle.ts';

/** How long outstanding operations are waited for at the end of a trial, and one operation may take. */
const drainMs = 10_000;
const operationMs = 10_000;

export interface PlanInput {
  readonly id: string;
  /** The command's name and its arguments, as given. */
  readonly command: readonly string[];
  readonly options: RunOptions;
  readonly catalog: Catalog;
  readonly workload: LoadedWorkload;
}

/**
 * Turns options into the frozen plan of a run: pure, and the same for the same input. What the workspace or
 * the workload refuses is an InputError that names the option.
 */
export function buildPlan({ id, command, options, catalog, workload }: PlanInput): RunPlan {
  const workloadName = workload.found.name;
  const connectors = selectTargets(catalog, options.systems ?? null, workloadName);
  if (connectors.length === 0) {
    throw badOption('systems', 'nothing', `at least one target that supports the workload ${workloadName}`);
  }
  checkUrls(options, catalog, connectors);
  checkSettings(options, connectors);
  const targets = connectors.map((connector) => plannedTarget(connector, options));
  const cells = targets.flatMap(({ target }) => cellsOf(target, options, workload));
  const draw = splitMix64(BigInt(options.seed));
  const ids = cells.map((cell) => cell.id);
  return deepFreeze(
    runPlanSchema.parse({
      schemaVersion: 1,
      id,
      mode: options.mode,
      command: redactCommand(command),
      seed: options.seed,
      targets,
      cells,
      loop: options.rate === undefined ? { kind: 'closed' } : { kind: 'open', ratePerSecond: options.rate },
      timing: { warmupMs: options.warmup, windowMs: options.duration, drainMs, operationMs },
      // One generator for all rounds: each round is a shuffle of its own, and the next depends on the seed alone.
      rounds: Array.from({ length: options.trials }, () => shuffled(ids, draw)),
    }),
  );
}

function plannedTarget(connector: FoundConnector, options: RunOptions): PlannedTarget {
  const { system, route } = connector.manifest;
  const url = options.url.find((given) => given.system === system)?.url ?? null;
  const settings = options.set.filter((setting) => setting.target === connector.name);
  return {
    target: connector.name,
    connector: connector.name,
    system,
    route,
    url: url === null ? null : redactUrl(url),
    processes: options.processes,
    poolSize: options.poolSize,
    durability: 'durable',
    extra: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
  };
}

function cellsOf(target: string, options: RunOptions, workload: LoadedWorkload): Cell[] {
  return options.alpha.flatMap((alpha) => {
    const parameters = workloadParameters(workload, options, alpha);
    return options.depth.flatMap((depth) =>
      options.sessions.map((sessions) => ({
        id: `${target}-a${alpha}-d${depth}-s${sessions}`,
        target,
        client: 'node' as const,
        workload: workload.found.name,
        parameters,
        alpha,
        sessions,
        depth,
        threads: options.threads,
      })),
    );
  });
}

function checkUrls(options: RunOptions, catalog: Catalog, connectors: readonly FoundConnector[]): void {
  const known = systemNames(catalog);
  const seen = new Set<string>();
  for (const { system } of options.url) {
    if (!known.includes(system)) {
      throw badOption('url', `${system}=…`, `the systems ${known.join(', ')}${suggestion(system, known)}`);
    }
    if (seen.has(system)) throw badOption('url', `${system}=… twice`, 'one URL for each system');
    seen.add(system);
    if (!connectors.some(({ manifest }) => manifest.system === system)) {
      throw badOption('url', `${system}=…`, `systems that --systems asks for, which ${system} is not`);
    }
  }
}

function checkSettings(options: RunOptions, connectors: readonly FoundConnector[]): void {
  const known = connectors.map(({ name }) => name);
  for (const { target, key, value } of options.set) {
    if (known.includes(target)) continue;
    const accepts = `targets of this run: ${known.join(', ')}${suggestion(target, known)}`;
    throw badOption('set', `${target}.${key}=${value}`, accepts);
  }
}
