import { rm } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import {
  type Availability,
  blindObserver,
  type Connector,
  defineConnector,
  type Deployment,
  messageOf,
  type ProvisionContext,
  type RouteDefinition,
  rowObserver,
  type TargetOptions,
} from '@fair-bench/contract';
import { storageOf } from '@fair-bench/supervisor';
import { storedTables, workloadOf } from './executor.ts';
import { inClientFacts } from './in-client-facts.ts';
import { useEngine } from './opened.ts';
import { type EngineSystem, openOptionsOf, settingsOf } from './system.ts';
import { tablesOf } from './tables.ts';

/**
 * A route with the engine in the load client's process. There are no bindings: a workload's description is carried out over rows
 * as bytes. This control plane has the engine open only while it needs it.
 */
export function engineRoute(system: EngineSystem): RouteDefinition {
  return {
    probe: async (options) => await probe(system, options),
    provision: async (context) => await provision(system, context),
  };
}

async function probe(system: EngineSystem, options: TargetOptions): Promise<Availability> {
  const problem = problemWith(system, options);
  if (problem !== null) return { available: false, ...problem };
  try {
    return { available: true, provider: 'in-process', version: await system.version() };
  } catch (error) {
    return {
      available: false,
      reason: `${system.title} cannot be loaded: ${messageOf(error)}`,
      remedy: 'leave this target out: its package has no binary for this platform',
    };
  }
}

function problemWith(
  { title, isShared }: EngineSystem,
  { url, threadsMax, workload }: TargetOptions,
): { readonly reason: string; readonly remedy: string } | null {
  if (url !== undefined) {
    const reason = `${title} runs inside the load client and has no URL`;
    return { reason, remedy: 'leave the URL out: a directory is created for the run' };
  }
  if (!isShared && threadsMax > 1) {
    const reason = `one thread alone can have ${title} open, and the load client has ${threadsMax}`;
    return { reason, remedy: 'use --threads 1' };
  }
  try {
    if (workload !== null) workloadOf(workload.description);
    return null;
  } catch (error) {
    return { reason: messageOf(error), remedy: 'leave this target out, or name another workload' };
  }
}

async function provision(system: EngineSystem, context: ProvisionContext): Promise<Deployment> {
  const { options, target, supervisor } = context;
  const problem = problemWith(system, options);
  if (problem !== null) throw new Error(`${target}: ${problem.reason}; ${problem.remedy}`);
  const { workload } = options;
  if (workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const version = await system.version();
  const directory = await supervisor.directory(target);
  const opened = openOptionsOf(system, options);
  const open = async () => await useEngine(system, directory, opened);
  const tables = tablesOf(open, storedTables(workload.shape.tables));
  return {
    endpoint: {
      url: pathToFileURL(directory).href,
      options: { description: workload.description, ...opened },
    },
    // The engine is in the load client's.
    processes: [],
    async check() {
      await using _ = await open();
    },
    async prepare() {
      await using inUse = await open();
      await inUse.engine.settle?.();
    },
    async facts() {
      // It is opened as the timed ones are.
      await using inUse = await open();
      return {
        ...inClientFacts(system, version, settingsOf(inUse.engine)),
        writersMax: 1,
        storage: await storageOf(directory),
      };
    },
    // Not every engine's count of commits outlives its last user; an observer has it open.
    counters: () => Promise.resolve({}),
    inFlight: () => Promise.resolve(null),
    async observe(signal) {
      if (!system.isShared) return blindObserver;
      const inUse = await open();
      const { committed } = inUse.engine;
      return {
        ...rowObserver(tables, signal),
        committed: committed === undefined ? null : () => Promise.resolve(committed()),
        close: async () => await inUse[Symbol.asyncDispose](),
      };
    },
    tables,
    async compact(into) {
      await using inUse = await open();
      const { engine } = inUse;
      if (engine.compact === undefined) return false;
      await engine.compact(into);
      return true;
    },
    async close() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A connector with this route alone. */
export function engineConnector(system: EngineSystem): Connector {
  const { name, fairProfile } = system;
  return defineConnector({ system: name, fairProfile, routes: { embedded: engineRoute(system) } });
}
