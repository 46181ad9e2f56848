import { z } from 'zod';
import { applicationSchema } from './application.ts';
import { isolationSchema, statementProtocolSchema } from './facts.ts';
import { nameSchema } from './primitives.ts';

/** The runtimes that an application server of ours can run under. */
export const appRuntimeSchema = z.enum(['node', 'bun', 'deno']);
export type AppRuntime = z.infer<typeof appRuntimeSchema>;

/** Durability that can be requested of a system; facts report what is in force. */
export const requestedDurabilitySchema = z.enum(['durable', 'async']);

/** Sessions reach the database themselves. */
export const noPooler = 'none';

/**
 * The requested settings of a target. Two targets of one connector differ only in these; the manifest's `factors`
 * list which ones a connector accepts.
 */
export const targetSettingsSchema = z.strictObject({
  /** Application-server processes. */
  processes: z.int().min(1),
  /** Database connections of the application server, over all its processes. */
  poolSize: z.int().min(1),
  durability: requestedDurabilitySchema,
  /** Isolation of the transactions; null keeps the system's default. */
  isolation: isolationSchema.nullable(),
  /** The tuning profile: `default` keeps every setting that is not requested here as the system ships it. */
  profile: nameSchema,
  appRuntime: appRuntimeSchema,
  protocol: statementProtocolSchema.default('prepared'),
  /** The pooler between the sessions and the database. */
  pooler: nameSchema.default(noPooler),
  /** The most connections to the database of a pooler. */
  poolerPool: z.int().min(1).default(10),
  /** Threads of a pooler that can have several, 0 for its single-threaded mode; null has as many as it ships with. */
  poolerWorkers: z.int().min(0).nullable().default(null),
  /** The path of the server's program; null uses the one that is found. */
  program: z.string().nullable().default(null),
  /** The path of a file with the user's own tables, which are made in place of the description's; null without one. */
  setup: z.string().nullable().default(null),
  /** The user's application in front of the database; null for what this suite has. */
  application: applicationSchema.nullable().default(null),
  /** The connector's own settings, parsed by its own schema. */
  extra: z.record(z.string(), z.string()),
});
export type TargetSettings = z.infer<typeof targetSettingsSchema>;

/** A target at its defaults, with one process and one connection. */
export const defaultTargetSettings: TargetSettings = {
  processes: 1,
  poolSize: 1,
  durability: 'durable',
  isolation: null,
  profile: 'default',
  appRuntime: 'node',
  protocol: 'prepared',
  pooler: noPooler,
  poolerPool: 10,
  poolerWorkers: null,
  program: null,
  setup: null,
  application: null,
  extra: {},
};
