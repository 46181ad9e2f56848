import type { ControlPlane, WorkloadShape } from './data-plane.ts';
import type { JsonObject } from './primitives.ts';
import type { Endpoint } from './session.ts';
import type { FairSetting, Facts, InFlight, Provider, WorkCounters } from './facts.ts';
import type { TargetSettings } from './target-settings.ts';
import type { Observer } from './observer.ts';
import type { Supervisor } from './supervisor.ts';

/** What the user or the plan decides about a target before it is started. */
export interface TargetOptions extends Readonly<TargetSettings> {
  /** An endpoint of the user's; the system is then not started here. */
  readonly url?: string;
  /** The most sessions, and requests outstanding in a session, of any cell in the plan. */
  readonly sessionsMax: number;
  readonly depthMax: number;
  /** The most threads of a load client of any cell in the plan. */
  readonly threadsMax: number;
  /** The most operations of a batch of any cell in the plan: above 1 a route that can prepares for batches. */
  readonly batchMax: number;
  /** The workload; null where none is chosen, as in a listing. */
  readonly workload: TargetWorkload | null;
}

/** A workload, as a target is started for it. */
export interface TargetWorkload {
  readonly shape: WorkloadShape;
  /** The description's JSON, for a target that runs the model. */
  readonly description: JsonObject;
  /** The folder of its bindings. */
  readonly folder: string;
  /** Whether a transaction of it may do nothing but insert rows: some servers count those otherwise. */
  readonly mayOnlyInsert: boolean;
}

export type Availability =
  | { readonly available: true; readonly provider: Provider; readonly version: string | null }
  | {
      readonly available: false;
      readonly reason: string;
      readonly remedy: string;
      /** Its program is there, and the connector cannot use it: tests of the connector fail then, rather than skip. */
      readonly isFound?: true;
      /** An option of the run asks for more than the system gives; at most so many would do. */
      readonly fits?: { readonly option: 'sessions' | 'poolSize'; readonly most: number };
    };

export interface ProvisionContext {
  readonly target: string;
  readonly options: TargetOptions;
  readonly supervisor: Supervisor;
  readonly signal: AbortSignal;
  /**
   * Starts a service once for all targets that use the same key; it is closed when its last target is. A service
   * whose `check` rejects is started again for its next user.
   */
  shared<S extends SharedService>(key: string, start: () => Promise<S>): Promise<S>;
}

export interface SharedService {
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The parts of a target that have processes, in the order in which an operation reaches them. */
export const processRoles = ['appServer', 'pooler', 'database'] as const;
export type ProcessRole = (typeof processRoles)[number];

/** One value for each role. */
export function byRole<Value>(valueOf: (role: ProcessRole) => Value): Readonly<Record<ProcessRole, Value>> {
  return { appServer: valueOf('appServer'), pooler: valueOf('pooler'), database: valueOf('database') };
}

/** The sum over the roles that have a value; null where none has. */
export function overRoles(values: Readonly<Record<ProcessRole, number | null>>): number | null {
  const known = processRoles.flatMap((role) => values[role] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** A process that works for a target, so that its CPU time and memory are counted. */
export interface ProcessRef {
  readonly role: ProcessRole;
  /** The root of a process tree: descendants are counted with it. */
  readonly pid: number;
}

/**
 * A running target: the control plane. Everything here may be slow and is written for clarity. Errors name the
 * target, the fact and the remedy.
 */
export interface Deployment {
  readonly endpoint: Endpoint;
  readonly processes: readonly ProcessRef[];
  /** Rejects when the target no longer answers. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * After the seeding and before a trial: lets the system settle (checkpoint, vacuum), opens new connections and
   * resets the in-flight peak, so that no trial pays for another's writes.
   * @param poolSize database connections of the application server from now on, over all its processes; absent leaves
   * them unchanged. Passed only where the manifest says that the pool can be set.
   */
  prepare(signal: AbortSignal, poolSize?: number): Promise<void>;
  /**
   * While other targets are measured: closes the connections of its pool, which would be idle load and take the place of
   * others. They are opened again by `prepare`, or by their first use. Absent where none are kept.
   */
  readonly rest?: (signal: AbortSignal) => Promise<void>;
  /** The settings in force now, read live in the sessions that do the timed work. */
  facts(signal: AbortSignal): Promise<Facts>;
  /** Counters are complete when this resolves: sessions that delay their statistics are made to report them. */
  counters(signal: AbortSignal): Promise<WorkCounters>;
  /**
   * Counts of the background work that the system has begun since its start, by name in its own words: `checkpoint`. One that rose has
   * been begun since the reading before. It is read once a second while a long load runs. Absent where the system does not say.
   */
  readonly background?: (signal: AbortSignal) => Promise<Readonly<Record<string, number>>>;
  /** The server's own view of concurrency; null where there is no server, or it shows no peak: then the check is skipped. */
  inFlight(signal: AbortSignal): Promise<InFlight | null>;
  /** Opens a connection that observes while the load runs; `signal` ends it. */
  observe(signal: AbortSignal): Promise<Observer>;
  /** The workload's tables. */
  readonly tables: ControlPlane;
  /**
   * Of an engine in the load client, while no load client has it open: compacts its files as the engine does, or writes a compact copy
   * into an empty directory beside them. False where the engine has no compaction.
   */
  readonly compact?: (into: string) => Promise<boolean>;
  close(): Promise<void>;
}

/** A route's control plane, as its connector writes it. */
export interface RouteDefinition {
  /** Whether the target is available here; starts nothing. */
  probe(options: TargetOptions): Promise<Availability>;
  provision(context: ProvisionContext): Promise<Deployment>;
  /**
   * The path of a client module for Node whose sessions have the engine in another process, which can be killed. Only for a route
   * that no Node load client drives: it takes its place where durability is tested.
   */
  readonly sessionsPath?: string;
}

/** A system with all its routes: the default export of a connector's package. */
export interface Connector<RouteName extends string = string> {
  /** As in the manifest; so are the names of the routes. */
  readonly system: string;
  /** The settings that fair mode needs of this system, with reasons; other live settings are a difference. */
  readonly fairProfile: readonly FairSetting[];
  readonly routes: Readonly<Record<RouteName, RouteDefinition>>;
  readonly identify?: Route['identify'];
}

/** Types a connector; its package's default export. */
export function defineConnector<RouteName extends string>(
  connector: Connector<RouteName>,
): Connector<RouteName> {
  return connector;
}

/** A route with everything it needs of its system: a target is started from it. */
export interface Route extends RouteDefinition {
  /** `<system>-<route>`: also the name of its target. */
  readonly name: string;
  readonly fairProfile: readonly FairSetting[];
  /**
   * What tells the server that a URL leads to from the other servers of its cluster: the same words at each address of it. Rejects
   * where none answers. Absent for a system that does not say.
   */
  readonly identify?: (url: string, signal: AbortSignal) => Promise<string>;
}

/** One of a connector's routes: `routeOf(connector, 'drizzle')`. */
export function routeOf<RouteName extends string>(
  { system, fairProfile, routes, identify }: Connector<RouteName>,
  route: NoInfer<RouteName>,
): Route {
  const own = routes[route];
  return {
    name: `${system}-${route}`,
    fairProfile,
    probe: async (options) => await own.probe(options),
    provision: async (context) => await own.provision(context),
    ...(identify === undefined ? {} : { identify }),
    ...(own.sessionsPath === undefined ? {} : { sessionsPath: own.sessionsPath }),
  };
}
