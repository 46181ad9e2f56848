import { z } from 'zod';
import { isolationSchema } from './facts.ts';
import { nameSchema } from './primitives.ts';
import { appRuntimeSchema, requestedDurabilitySchema } from './target-settings.ts';

/** Rises when a connector written for the version before would no longer work. */
export const contractVersion = 1;

export const routeSchema = z.enum(['drizzle', 'storedproc', 'driver', 'sdk', 'http']);
export type Route = z.infer<typeof routeSchema>;

const modulePathSchema = z
  .string()
  .regex(/^\.\/.+\.ts$/, 'a module path within the package, as "./src/client.ts"');

/**
 * What of a connector can be varied, and what its route is made of: the factors that a gap is explained by.
 * A setting that is not listed cannot be asked for.
 */
export const factorsSchema = z.strictObject({
  /** What stands between the load client and the database. */
  hop: z.enum(['rpc-server', 'none']),
  /** How the transaction is written: statements by an ORM, or one call of code inside the database. */
  dataAccess: z.enum(['orm', 'stored-procedure']),
  durability: z.array(requestedDurabilitySchema).min(1).default(['durable']),
  profile: z.array(nameSchema).min(1).default(['default']),
  /** Empty where there is no choice: the system has one. */
  isolation: z.array(isolationSchema).default([]),
  /** Empty where there is no application server of ours. */
  appRuntime: z.array(appRuntimeSchema).default([]),
  /** Whether the number of application-server processes can be chosen. */
  processes: z.boolean().default(false),
  /** Settings of the connector's own that change what is measured: `extra` key → the values it takes. */
  extra: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  /** Keys of `extra` that the Node load client alone can do: a native cell has the first of their values. */
  extraOfNode: z.array(z.string()).optional(),
});
export type ConnectorFactors = z.infer<typeof factorsSchema>;

/** The `fairBench` field of a connector's package.json: how it is found. */
export const connectorManifestSchema = z.strictObject({
  kind: z.literal('connector'),
  contract: z.literal(contractVersion),
  system: nameSchema,
  route: routeSchema,
  workloads: z.array(nameSchema).min(1),
  /**
   * The load clients that can drive it: for `node` the module that the Node load client imports; for
   * `native` the name of the protocol that the native client speaks to it.
   */
  clients: z.strictObject({ node: modulePathSchema.optional(), native: nameSchema.optional() }),
  factors: factorsSchema,
  /** A ruler measures the harness, not a database; it is left out unless it is named. */
  ruler: z.boolean().default(false),
});
export type ConnectorManifest = z.infer<typeof connectorManifestSchema>;

/** The `fairBench` field of a workload's package.json. */
export const workloadManifestSchema = z.strictObject({
  kind: z.literal('workload'),
  contract: z.literal(contractVersion),
  name: nameSchema,
});
export type WorkloadManifest = z.infer<typeof workloadManifestSchema>;

export const manifestSchema = z.discriminatedUnion('kind', [connectorManifestSchema, workloadManifestSchema]);
export type Manifest = z.infer<typeof manifestSchema>;
