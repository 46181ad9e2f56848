import { z } from 'zod';

/** A name of a system, route, target or workload: lower case words joined by hyphens. */
export const nameSchema = z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'lower-case words joined by "-"');

/** A target's name: a name, with an optional variant after `@`, as in `postgres-drizzle@bun`. */
export const targetNameSchema = z
  .string()
  .regex(
    /^[a-z][a-z0-9]*(-[a-z0-9]+)*(@[a-z0-9]+(-[a-z0-9]+)*)?$/,
    'a name, optionally followed by "@variant"',
  );

/** A whole number ≥ 0 that a JavaScript number holds exactly. */
export const countSchema = z.int().min(0);

/** Any JSON value that is an object. */
export const jsonObjectSchema = z.record(z.string(), z.json());
export type JsonObject = z.infer<typeof jsonObjectSchema>;

/** A confidence interval, `[low, high]`, in the unit of the mean that it stands beside. */
export const intervalSchema = z.tuple([z.number(), z.number()]);
export type Interval = z.infer<typeof intervalSchema>;
