import { z } from 'zod';
import type { TargetOptions } from '@fair-bench/contract';

/** How many mutations Convex runs at the same time by default. */
export const concurrentMutationsDefault = 16;

const limitSchema = z.coerce.number().int().min(1).max(100_000).optional();

const extraSchema = z.strictObject({
  /** The environment variable that has the admin key: its name, never the key. */
  adminKeyVariable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'the name of an environment variable')
    .default('CONVEX_SELF_HOSTED_ADMIN_KEY'),
  /** Whether our functions are pushed before a run; `never` where they have been pushed by hand. */
  deploy: z.enum(['always', 'never']).default('always'),
  /** Where HTTP actions are served, if not where the deployment says. */
  siteUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** The backend's data folder, where this machine can see it: then the storage is read and not declared. */
  dataDirectory: z.string().min(1).optional(),
  /** What the backend stores in, declared where it cannot be read. */
  storage: z.enum(['sqlite', 'postgres', 'mysql']).optional(),
  /** `APPLICATION_MAX_CONCURRENT_…` as the operator set them: a deployment does not show them. */
  maxConcurrentMutations: limitSchema,
  maxConcurrentQueries: limitSchema,
  maxConcurrentV8Actions: limitSchema,
});
export type ConvexOptions = z.infer<typeof extraSchema>;

export type ParsedOptions =
  | { readonly options: ConvexOptions }
  | { readonly problem: { readonly reason: string; readonly remedy: string } };

/** Reads a target's own settings. The profile and the declared limits have to say the same. */
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

/** As `parseOptions`, for a target that is provisioned: rejects what the probe says no to. */
export function requireOptions(target: string, options: TargetOptions): ConvexOptions {
  const parsed = parseOptions(options);
  if ('options' in parsed) return parsed.options;
  throw new Error(`${target}: ${parsed.problem.reason}; ${parsed.problem.remedy}`);
}
