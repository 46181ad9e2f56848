import { z } from 'zod';
import { clientCodecSchema, type TargetOptions } from '@fair-bench/contract';

/** How many mutations Convex runs at the same time by default. */
export const concurrentMutationsDefault = 16;

const limitSchema = z.coerce.number().int().min(1).max(100_000).optional();

const extraSchema = z.strictObject({
  /** By which HTTP client actions are called. */
  clientCodec: clientCodecSchema.default('stock'),
  /** The name of the environment variable with the admin key, never the key. */
  adminKeyVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable')
    .default('CONVEX_SELF_HOSTED_ADMIN_KEY'),
  /** Whether our functions are pushed before a run; `never` if they were pushed by hand. */
  deploy: z.enum(['always', 'never']).default('always'),
  /** The URL of HTTP actions, if the deployment reports another one. */
  siteUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The backend's data folder, if this machine can read it: then the storage is read, not declared. */
  dataDirectory: z.string().min(1).optional(),
  /** The backend's storage, declared if it cannot be read. */
  storage: z.enum(['sqlite', 'postgres', 'mysql']).optional(),
  /** `APPLICATION_MAX_CONCURRENT_…` as the operator set them: a deployment does not show them. */
  maxConcurrentMutations: limitSchema,
  maxConcurrentQueries: limitSchema,
  maxConcurrentV8Actions: limitSchema,
});
export type ConvexOptions = z.infer<typeof extraSchema>;

type ParsedOptions =
  | { readonly options: ConvexOptions }
  | { readonly problem: { readonly reason: string; readonly remedy: string } };

/** Reads a target's own settings. The profile must agree with the declared limits. */
export function parseOptions({ extra, profile }: Pick<TargetOptions, 'extra' | 'profile'>): ParsedOptions {
  const parsed = extraSchema.safeParse(extra);
  if (!parsed.success) {
    const remedy = `give these by --set TARGET.NAME=VALUE: ${Object.keys(extraSchema.shape).join(', ')}`;
    return { problem: { reason: z.prettifyError(parsed.error), remedy } };
  }
  const limit = parsed.data.maxConcurrentMutations;
  if (profile === 'default' && limit !== undefined && limit !== concurrentMutationsDefault) {
    const reason = `the profile default means Convex's ${concurrentMutationsDefault} concurrent mutations, and ${limit} are declared`;
    return {
      problem: { reason, remedy: 'name the target with @raised, or leave maxConcurrentMutations out' },
    };
  }
  if (profile === 'raised' && (limit === undefined || limit <= concurrentMutationsDefault)) {
    const reason = `the profile raised says nothing without the limit that the deployment was started with`;
    const remedy = `start it with APPLICATION_MAX_CONCURRENT_MUTATIONS above ${concurrentMutationsDefault}, and say so: --set TARGET@raised.maxConcurrentMutations=N`;
    return { problem: { reason, remedy } };
  }
  return { options: parsed.data };
}

/** Like `parseOptions`, for a target that is provisioned: rejects with the probe's reason. */
export function requireOptions(target: string, options: TargetOptions): ConvexOptions {
  const parsed = parseOptions(options);
  if ('options' in parsed) return parsed.options;
  throw new Error(`${target}: ${parsed.problem.reason}; ${parsed.problem.remedy}`);
}
