import { badOption, type JsonObject } from '@fair-bench/contract';
import { defaultParameters, resolveWorkload, WorkloadError } from '@fair-bench/workload';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';

/** The options that the workload's parameters come from. */
export type ParameterOptions = Pick<RunOptions, 'accounts' | 'seed' | 'scramble'>;

/** The skews that cells are made for: one of null where the workload has no such parameter. */
export function alphasOf(
  { description }: LoadedWorkload,
  { alpha }: Pick<RunOptions, 'alpha'>,
): readonly (number | null)[] {
  return description.parameters.some(({ name }) => name === 'alpha') ? alpha : [null];
}

/**
 * The parameters of the workload for one skew, complete: what the options do not say is the
 * workload's default, and its refusal becomes an InputError that names the option of the same name.
 */
export function workloadParameters(
  { description }: LoadedWorkload,
  options: ParameterOptions,
  alpha: number | null,
): JsonObject {
  const { accounts, seed, scramble } = options;
  const names = new Set(['seed', ...description.parameters.map(({ name }) => name)]);
  const given = Object.entries({ accounts, alpha, seed, scramble }).filter(([name]) => names.has(name));
  const parameters = { ...defaultParameters(description), ...Object.fromEntries(given) };
  try {
    resolveWorkload(description, parameters);
    return parameters;
  } catch (error) {
    if (!(error instanceof WorkloadError)) throw error;
    const [mistake] = error.mistakes;
    const name = String(mistake?.path[1] ?? 'param');
    const accepts = mistake?.message ?? 'what the workload can draw';
    throw badOption(name, JSON.stringify(parameters[name]).replaceAll('"', ''), accepts, { cause: error });
  }
}
