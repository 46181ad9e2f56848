import { z } from 'zod';
import { nameSchema } from './primitives.ts';

/** Rises when a connector written for the version before would no longer work. */
export const contractVersion = 1;

export const routeSchema = z.enum(['drizzle', 'storedproc', 'driver', 'sdk', 'http']);
export type Route = z.infer<typeof routeSchema>;

const modulePathSchema = z
  .string()
  .regex(/^\.\/.+\.ts$/, 'a module path within the package, as "./src/client.ts"');

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
