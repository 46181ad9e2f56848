import { z } from 'zod';
import { applicationSchema } from './application.ts';
import { nameSchema } from './primitives.ts';

/** A value kept out of the file: the name of the environment variable that contains it. */
const fromEnvironmentSchema = z.strictObject({
  fromEnvironment: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
});
export type FromEnvironment = z.infer<typeof fromEnvironmentSchema>;

/** What a target costs by the hour, whatever it does: its plan at a vendor, or its machine. */
export const priceSchema = z.strictObject({
  perHour: z.number('a number above 0').positive('a number above 0'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'three letters of ISO 4217, as EUR'),
});
export type Price = z.infer<typeof priceSchema>;

/** A server of a cluster behind a target's URL. */
const configuredNodeSchema = z.strictObject({
  /** The server's own address, past what stands before the cluster. The target's secrets are added. */
  url: z.string(),
  /** A command of the shell that starts the server again once it was killed; it ends when that has begun. */
  restart: z.string().min(1),
  /** A command that kills the server, as `docker kill db-1`. Without one its processes are found on this machine, by its port. */
  kill: z.string().min(1).optional(),
});

const secretName = /^user$|pass|secret|token|key$/i;

/** A target under a name of the user's: a connector with settings, and an endpoint. */
const configuredTargetSchema = z.strictObject({
  /** `<system>-<route>`, as `npm run list` names it, with its settings: `postgres-driver[durability=async]`, `postgres-driver@tuned`. */
  connector: z.string(),
  /** The endpoint; without one the system is started here. */
  url: z.union([z.string(), fromEnvironmentSchema], 'a URL, or { fromEnvironment: NAME }').optional(),
  options: z.never('accepts nothing; settings stand behind the connector, as NAME[key=value,…]').optional(),
  /** Parts of the URL that are secrets: `user`, `password`; another name is a query parameter. */
  secrets: z
    .record(
      z.string().regex(secretName, 'user, password, or a query parameter that is named as a secret'),
      fromEnvironmentSchema,
    )
    .default({}),
  /** The product's name, where it is not the name of the connector's system: `Supabase`. */
  system: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9]*([ -][A-Za-z0-9]+)*$/, 'words')
    .optional(),
  /** The servers of the cluster behind the URL: `--fault kill` and `pause` strike the one that sessions reach. */
  nodes: z.array(configuredNodeSchema).min(1).optional(),
  /** A file with your own tables, from the folder of this file: made in the run's schema in place of the workload's. */
  setup: z.string().min(1).optional(),
  /** Of a connector whose targets are applications, as `postgres-app`: yours. */
  app: applicationSchema.optional(),
  /** Reports then have the cost of a million operations. */
  price: priceSchema.optional(),
});

/** A server of the user's cluster, with the target's secrets. */
export interface ClusterNode {
  /** Its own address. */
  readonly url: string;
  /** Commands of the shell. */
  readonly restart: string;
  /** Null: its processes are on this machine, and are found by its port. */
  readonly kill: string | null;
}

/** The file `fair-bench.config.ts`: its default export. */
export const fairBenchConfigSchema = z.strictObject({
  targets: z.record(nameSchema, configuredTargetSchema),
});
export type FairBenchConfig = z.infer<typeof fairBenchConfigSchema>;
type FairBenchConfigInput = z.input<typeof fairBenchConfigSchema>;

/** Types the default export of `fair-bench.config.ts`. */
export function defineConfig(config: FairBenchConfigInput): FairBenchConfigInput {
  return config;
}
