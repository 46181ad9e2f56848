import { z } from 'zod';
import { isolationSchema, statementProtocolSchema } from './facts.ts';
import { nameSchema } from './primitives.ts';
import { appRuntimeSchema, requestedDurabilitySchema } from './target-settings.ts';

/** Rises when a connector written for the previous version no longer works. */
export const contractVersion = 2;

const modulePathSchema = z
  .string()
  .regex(/^\.\/.+\.[jt]s$/, 'a module path within the package, as "./src/client.ts"');

/** What can be varied about a route; other settings cannot be requested. */
const variable = {
  durability: z.array(requestedDurabilitySchema).min(1),
  profile: z.array(nameSchema).min(1),
  /** Empty where there is no choice: the system has one. */
  isolation: z.array(isolationSchema),
  /** Empty where there is no application server of ours. */
  appRuntime: z.array(appRuntimeSchema),
  /** Empty where there is no choice. */
  protocol: z.array(statementProtocolSchema),
  /** The poolers that can stand between the sessions and the database; empty where none can. */
  pooler: z.array(nameSchema),
  /** The load clients whose sessions can send several operations as one request that commits once; empty where none can. */
  batch: z.array(z.enum(['node', 'native'])),
  /** Whether the number of application-server processes can be chosen. */
  processes: z.boolean(),
  /** Whether `prepare` sets the number of the application server's database connections. */
  pool: z.boolean(),
  /** Whether the server's program can be chosen by its path, so that two builds can be compared. */
  program: z.boolean(),
  /** Whether the tables can be those of a file with the user's own, in place of the description's. */
  setup: z.boolean(),
  /** The connector's own settings that change what is measured: `extra` key → accepted values. */
  extra: z.record(z.string(), z.array(z.string()).min(1)),
  /** Keys of `extra` that only the Node load client supports: a native cell has the first of their values. */
  extraOfNode: z.array(z.string()),
};

/**
 * How a transaction reaches the data: by statements of a driver or of an ORM, by one call of a procedure that the
 * database stores, or as code that runs inside the engine (a reducer, a mutation).
 */
export const dataAccessSchema = z.enum(['statements', 'orm', 'stored-procedure', 'engine']);
export type DataAccess = z.infer<typeof dataAccessSchema>;

/** The ways to run a transaction as code inside the database: a system has one of them. */
export const codeInDatabase: readonly DataAccess[] = ['stored-procedure', 'engine'];

/** What a route is made of. */
const made = {
  /** What stands between the load client and the database; `in-process`: the engine runs inside the load client. */
  hop: z.enum(['rpc-server', 'none', 'in-process']),
  dataAccess: dataAccessSchema,
};

/** All factors of a route that can explain a gap. */
const factorsSchema = z.strictObject({
  ...made,
  durability: variable.durability.default(['durable']),
  profile: variable.profile.default(['default']),
  isolation: variable.isolation.default([]),
  appRuntime: variable.appRuntime.default([]),
  protocol: variable.protocol.default([]),
  pooler: variable.pooler.default([]),
  batch: variable.batch.default([]),
  processes: variable.processes.default(false),
  pool: variable.pool.default(false),
  program: variable.program.default(false),
  setup: variable.setup.default(false),
  extra: variable.extra.default({}),
  extraOfNode: variable.extraOfNode.default([]),
});
export type RouteFactors = z.infer<typeof factorsSchema>;

/**
 * The load clients that can drive a route: for `node` the module that the Node load client imports; for `native`
 * the name of the protocol that the native client speaks to it.
 */
const clientsSchema = z.strictObject({ node: modulePathSchema.optional(), native: nameSchema.optional() });

const routeSchema = z.strictObject({
  clients: clientsSchema,
  /** The library by which Node calls the system: the client's or the application server's. Absent where it calls by HTTP. */
  library: z.string().min(1).optional(),
  /** In place of those of the system. */
  bindings: z.boolean().optional(),
  byDefault: z.boolean().optional(),
  /** Whether its targets are applications of the user's, which only a configuration names. */
  application: z.boolean().default(false),
  /** In addition to those of the system, or in place of one with the same name. */
  factors: z.strictObject(variable).partial().extend(made),
});

/** The `fairBench` field of a connector's package.json, by which it is found. What its routes share is written once. */
export const connectorManifestSchema = z.strictObject({
  kind: z.literal('connector'),
  contract: z.literal(contractVersion),
  system: nameSchema,
  /** Systems of a family take its bindings where a workload has none of their own: `mysql`. */
  family: nameSchema.optional(),
  factors: z.strictObject(variable).partial().default({}),
  /** By name: `drizzle`, `sdk`, … */
  routes: z
    .record(nameSchema, routeSchema)
    .refine((routes) => Object.keys(routes).length > 0, 'accepts at least one route'),
  /** A calibration target measures the harness, not a database; it runs only when it is named. */
  calibration: z.boolean().default(false),
  /** Whether each workload needs a binding's file for it; false for a system that carries the description itself out. */
  bindings: z.boolean().default(true),
  /** Whether a run that names no systems measures it. */
  byDefault: z.boolean().default(true),
});
export type ConnectorManifest = z.infer<typeof connectorManifestSchema>;

/** A route's part of the manifest, with what it shares with its system. */
export interface RouteManifest {
  readonly system: string;
  readonly family: string | null;
  readonly route: string;
  readonly clients: z.infer<typeof clientsSchema>;
  /** Null where Node calls the system by HTTP. */
  readonly library: string | null;
  readonly factors: RouteFactors;
  readonly calibration: boolean;
  readonly bindings: boolean;
  readonly byDefault: boolean;
  readonly application: boolean;
}

/** Every route of a connector, in the manifest's order. */
export function routesOf({
  system,
  family,
  calibration,
  bindings,
  byDefault,
  ...shared
}: ConnectorManifest): readonly RouteManifest[] {
  return Object.entries(shared.routes).map(
    ([route, { clients, library = null, factors, application, ...own }]) => ({
      system,
      family: family ?? null,
      route,
      clients,
      library,
      factors: factorsSchema.parse({ ...shared.factors, ...factors }),
      calibration,
      bindings: own.bindings ?? bindings,
      byDefault: own.byDefault ?? byDefault,
      application,
    }),
  );
}

/** The names, without their endings, of a workload's files that bind a route: its own before its family's. */
export function bindingStems({
  system,
  family,
  route,
}: Pick<RouteManifest, 'system' | 'family' | 'route'>): readonly string[] {
  const owners = [system, ...(family === null ? [] : [family])];
  return [...owners.map((owner) => `${owner}-${route}`), ...owners];
}
