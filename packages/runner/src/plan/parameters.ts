import { InputError, type JsonObject, jsonObjectSchema } from '@fair-bench/contract';
import { z } from 'zod';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/load.ts';

/** The options that the workload's parameters come from. */
export type ParameterOptions = Pick<RunOptions, 'accounts' | 'seed' | 'scramble'>;

/**
 * The parameters of the workload for one skew, complete: what the options do not say is the
 * workload's default, and its refusal becomes an InputError that names the option of the same name.
 */
export function workloadParameters(
  { workload, defaultParameters }: LoadedWorkload,
  options: ParameterOptions,
  alpha: number,
): JsonObject {
  const { accounts, seed, scramble } = options;
  const given = { accounts, alpha, seed, scramble };
  try {
    return jsonObjectSchema.parse(toJson(workload.parseParameters({ ...defaultParameters, ...given })));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const issue = error.issues[0];
    const name = String(issue?.path[0] ?? 'alpha');
    const got = Object.entries(given).find(([key]) => key === name)?.[1];
    throw new InputError(
      `--${name}: got "${String(got)}"; accepts ${issue?.message ?? 'what the workload can draw'}`,
      { cause: error },
    );
  }
}

/** 64-bit integers travel as decimal strings. */
function toJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)),
  );
}
