import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type Availability,
  type Deployment,
  type JsonObject,
  messageOf,
  type ProvisionContext,
  type RouteDefinition,
  type TargetOptions,
  type TargetWorkload,
} from '@fair-bench/contract';
import { storageOf } from '@fair-bench/supervisor';
import { type Workload, workloadWithDefaults } from '@fair-bench/workload/execution';
import type { InClientSystem, Settings } from './system.ts';

/** What the open engine says that is in force, and what was only requested of it. */
interface InForce {
  readonly version: string;
  readonly settings: Settings;
  readonly requested: Settings;
}

interface Problem {
  readonly reason: string;
  readonly remedy: string;
}

/** How a load client hosts an engine. */
interface Host {
  /** Why a target cannot have these options, or null. Throws where the engine cannot carry the workload out. */
  problem(options: TargetOptions, workload: Workload | null): Problem | null;
  available(): Promise<Availability>;
  /** The engine of a directory, which exists. */
  engineIn(directory: string, workload: Workload, context: ProvisionContext): Promise<HostedEngine>;
}

interface HostedEngine extends Required<Pick<Deployment, 'prepare' | 'observe' | 'tables' | 'compact'>> {
  /** For the load client, beside the description. */
  readonly options: JsonObject;
  readonly writersMax: number;
  /** Opens it as the timed ones are, and closes it. */
  readonly inForce: () => Promise<InForce>;
}

/**
 * A route with the engine in the load client's process. There are no bindings: a workload's description is carried out over rows
 * as bytes. The control plane has the engine open only while it needs it.
 */
export function inClientRoute(
  system: InClientSystem,
  host: Host,
): Pick<RouteDefinition, 'probe' | 'provision'> {
  return {
    async probe(options) {
      const problem = problemWith(system, host, options);
      return problem === null ? await host.available() : { available: false, ...problem };
    },
    async provision(context) {
      const { options, target, supervisor } = context;
      const problem = problemWith(system, host, options);
      if (problem !== null) throw new Error(`${target}: ${problem.reason}; ${problem.remedy}`);
      if (options.workload === null) throw new Error(`${target}: no workload is chosen; name one`);
      const { description } = options.workload;
      const directory = await supervisor.directory(target);
      const hosted = await host.engineIn(directory, workloadOf(options.workload), context);
      const { options: own, writersMax, inForce, ...engine } = hosted;
      return {
        endpoint: { url: pathToFileURL(directory).href, options: { description, ...own } },
        // The engine is in the load client's.
        processes: [],
        check: async () => void (await inForce()),
        facts: async () => ({
          ...factsOf(system, await inForce()),
          writersMax,
          storage: await storageOf(directory),
        }),
        // Not every engine's count of commits outlives its last user; an observer has it open.
        counters: () => Promise.resolve({}),
        inFlight: () => Promise.resolve(null),
        ...engine,
        close: async () => await rm(directory, { recursive: true, force: true }),
      };
    },
  };
}

function workloadOf({ description }: TargetWorkload): Workload {
  return workloadWithDefaults(description, 'the workload');
}

function problemWith({ title }: InClientSystem, host: Host, options: TargetOptions): Problem | null {
  const { url, workload } = options;
  if (url !== undefined) {
    const reason = `${title} runs inside the load client and has no URL`;
    return { reason, remedy: 'leave the URL out: a directory is created for the run' };
  }
  try {
    return host.problem(options, workload === null ? null : workloadOf(workload));
  } catch (error) {
    return { reason: messageOf(error), remedy: anotherWorkload };
  }
}

export const anotherWorkload = 'leave this target out, or name another workload';

/** What it was opened with and does not say is requested. */
function factsOf(system: InClientSystem, { version, settings, requested }: InForce) {
  const request = Object.entries(requested).map(([name, value]) => `${name}=${value}`);
  return {
    system: { name: system.title, version },
    provider: 'in-process' as const,
    durability: system.durabilityOf({ ...requested, ...settings }),
    ...(request.length === 0
      ? {}
      : { requested, durabilityBasis: { status: 'requested' as const, request: request.join(', ') } }),
    // Transactions that write run one by one, or fail for a conflict, and reads see one moment.
    isolation: 'serializable' as const,
    settings,
    appServer: null,
    wireProtocol: 'calls in the load client',
  };
}
