import {
  type Connector,
  defineConnector,
  type Deployment,
  type Durability,
  type FairSetting,
  type Isolation,
  type JsonObject,
  type Observer,
  type ProvisionContext,
  type RouteDefinition,
  type Row,
  rowObserver,
} from '@fair-bench/contract';
import { beyondLimit, type ConnectionLimit, type ConnectionsOf } from './connection-limit.ts';
import { type DatabaseServer, type DatabaseSystem, probeServer, provideServer } from './database-server.ts';

/** Settings of a server, under its own names. */
export type SettingsInForce = Readonly<Record<string, string>>;

/** A server that sessions reach by its driver: what differs from others, and nothing else. */
export interface DriverSystem<Connection> extends Omit<DatabaseSystem, 'version'> {
  /** Opens one connection by the system's driver, without its own reconnecting and queue. Rejects with the driver's error. */
  connect(url: string): Promise<Connection>;
  /** When an operation is acknowledged, as the settings say; with the manual's page that says so. */
  durabilityOf(settings: SettingsInForce): Durability;
  isolationOf(settings: SettingsInForce): Isolation;
  /** The settings, by their names, that make this system durable and comparable. */
  readonly fairProfile: readonly FairSetting[];
  /** The driver's protocol: `mysql, prepared`. */
  readonly wireProtocol: string;
}

/** A connection of the control plane: it ends with its scope, and when `signal` aborts. */
export type OpenScoped<Connection> = (signal: AbortSignal) => Promise<Connection & AsyncDisposable>;

/** What systems of one kind, such as those with SQL, do with their connections. */
export interface DriverKind<Connection> {
  open(url: string, signal: AbortSignal): Promise<Connection & AsyncDisposable>;
  version(connection: Connection): Promise<string>;
  settings(connection: Connection): Promise<SettingsInForce>;
  /** A statement that reads no table; absent where the kind has none. */
  readonly ping?: (connection: Connection) => Promise<unknown>;
  /** How many more connections the user of a URL may open; absent where no server of the kind says it. */
  readonly limit?: (connection: Connection) => Promise<ConnectionLimit | null>;
  /** What else about a user's server refuses a run, and the remedy; null for nothing. */
  readonly refusal?: (
    connection: Connection,
  ) => Promise<{ readonly reason: string; readonly remedy: string } | null>;
  /** The probe of a route by the probe of its server: it looks at the workload too. */
  probe(server: RouteDefinition['probe']): RouteDefinition['probe'];
  /** Creates the workload's tables and operations on a running server. */
  install(
    context: ProvisionContext,
    server: DatabaseServer,
    open: OpenScoped<Connection>,
  ): Promise<Installed<Connection>>;
}

/** A workload on a server. */
interface Installed<Connection> extends Pick<Deployment, 'prepare' | 'counters' | 'tables'> {
  /** Of the endpoint. */
  readonly options: JsonObject;
  /** The most commits that may wait for one flush of the log. */
  readonly writersMax: number;
  /** As an observer's, on its connection. */
  readonly read: (connection: Connection, table: number, keys: readonly Row[]) => Promise<Row[]>;
  readonly replace: (connection: Connection, table: number, rows: readonly Row[]) => Promise<void>;
  /** As an observer's, on its connection; absent where the system counts none. */
  readonly committed?: (connection: Connection) => Promise<Pick<Observer, 'committed' | 'committedHasReads'>>;
}

/** A connector of one route, straight by the system's driver. */
export function driverConnector<Connection>(
  system: Described<Connection>,
  route: string,
  kind: DriverKind<Connection>,
): Connector {
  const database = databaseOf(system, kind);
  const provision = async (context: ProvisionContext): Promise<Deployment> => {
    const server = await provideServer(database, context);
    const open: OpenScoped<Connection> = async (signal) => await kind.open(server.url, signal);
    const { options, writersMax, read, replace, committed, ...own } = await kind.install(
      context,
      server,
      open,
    );
    return {
      ...own,
      endpoint: { url: server.url, options },
      processes: server.processes,
      check: async (signal) => await server.check(signal),
      async facts(signal) {
        // It is like the timed ones.
        await using connection = await open(signal);
        const settings = await kind.settings(connection);
        return {
          system: { name: system.title, version: await kind.version(connection) },
          provider: server.provider,
          durability: system.durabilityOf(settings),
          isolation: system.isolationOf(settings),
          settings,
          appServer: null,
          wireProtocol: system.wireProtocol,
          writersMax,
          storage: server.storage,
        };
      },
      inFlight: () => Promise.resolve(null),
      async observe(signal) {
        const connection = await open(signal);
        return {
          ...rowObserver(
            {
              read: async (table, keys) => await read(connection, table, keys),
              replace: async (table, rows) => await replace(connection, table, rows),
            },
            signal,
          ),
          ...(await committed?.(connection)),
          ping: kind.ping === undefined ? null : async () => void (await kind.ping?.(connection)),
          settings: async () => await kind.settings(connection),
          close: async () => await connection[Symbol.asyncDispose](),
        };
      },
      // What is on the server, and the server, end with the last target that uses them.
      close: () => Promise.resolve(),
    };
  };
  const probe = kind.probe(driverProbe(system, kind, 'sessions'));
  return defineConnector({
    system: system.name,
    fairProfile: system.fairProfile,
    routes: { [route]: { probe, provision } },
  });
}

type Described<Connection> = Omit<DriverSystem<Connection>, 'connect'>;
type Asked<Connection> = Pick<DriverKind<Connection>, 'open' | 'version' | 'limit' | 'refusal'>;

const limitMsMax = 5_000;

/** The probe of a route to a system's server, whose connections must fit into the limits of a user of its URL. */
export function driverProbe<Connection>(
  system: Described<Connection>,
  kind: Asked<Connection>,
  holds: ConnectionsOf,
): RouteDefinition['probe'] {
  const database = databaseOf(system, kind);
  return async (options) => {
    const found = await probeServer(database, options);
    if (!found.available || options.url === undefined) return found;
    if (kind.limit === undefined && kind.refusal === undefined) return found;
    await using connection = await kind.open(options.url, AbortSignal.timeout(limitMsMax));
    const refusal = await kind.refusal?.(connection);
    if (refusal !== undefined && refusal !== null) return { available: false, ...refusal };
    const limit = await kind.limit?.(connection);
    return (limit === undefined || limit === null ? null : beyondLimit(limit, options, holds)) ?? found;
  };
}

function databaseOf<Connection>(
  system: Described<Connection>,
  { open, version }: Asked<Connection>,
): DatabaseSystem {
  return {
    ...system,
    async version(url, signal) {
      await using connection = await open(url, signal);
      return await version(connection);
    },
  };
}
