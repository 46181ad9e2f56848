import { badOption, type JsonObject } from '@fair-bench/contract';
import {
  defaultParameters,
  resolveWorkload,
  type WorkloadDescription,
  WorkloadError,
} from '@fair-bench/workload';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';

/** The options that the workload's parameters come from. */
export type ParameterOptions = Pick<RunOptions, 'accounts' | 'seed' | 'scramble' | 'param'>;

/** The skews that cells are made for: one of null where the workload has no such parameter. */
export function alphasOf(
  { description }: LoadedWorkload,
  { alpha }: Pick<RunOptions, 'alpha'>,
): readonly (number | null)[] {
  return description.parameters.some(({ name }) => name === 'alpha') ? alpha : [null];
}

/**
 * The parameters of the workload for one skew, complete: what the options do not say is the
 * workload's default, and the workload's refusal becomes an InputError
 * that names the option or the parameter.
 */
export function workloadParameters(
  { description }: LoadedWorkload,
  options: ParameterOptions,
  alpha: number | null,
): JsonObject {
  const { accounts, seed, scramble } = options;
  const names = new Set(['seed', ...description.parameters.map(({ name }) => name)]);
  const given = Object.entries({ accounts, alpha, seed, scramble }).filter(([name]) => names.has(name));
  const own = new Set(given.map(([name]) => name));
  const named = options.param.map(({ key, value }) => {
    if (own.has(key)) throw badOption('param', `${key}=${value}`, `it as --${key}`);
    return [key, valueOf(description, key, value)];
  });
  const parameters: JsonObject = {
    ...defaultParameters(description),
    ...Object.fromEntries(given),
    ...Object.fromEntries(named),
  };
  try {
    resolveWorkload(description, parameters);
    return parameters;
  } catch (error) {
    if (!(error instanceof WorkloadError)) throw error;
    const [mistake] = error.mistakes;
    const name = String(mistake?.path[1] ?? 'param');
    const accepts = mistake?.message ?? 'what the workload can draw';
    const got = JSON.stringify(parameters[name] ?? null).replaceAll('"', '');
    if (own.has(name)) throw badOption(name, got, accepts, { cause: error });
    throw badOption('param', `${name}=${got}`, accepts, { cause: error });
  }
}

/** The text of a parameter as the JSON that its type has; what is none is left to the workload to refuse. */
function valueOf({ name, parameters }: WorkloadDescription, key: string, text: string): JsonObject[string] {
  const parameter = parameters.find((each) => each.name === key);
  if (parameter === undefined) {
    const known = parameters.map((each) => each.name).join(', ');
    throw badOption('param', `${key}=${text}`, `a parameter of the workload ${name}: ${known}`);
  }
  if (parameter.type === 'boolean') return text === 'true' || (text === 'false' ? false : text);
  const isNumber = parameter.type === 'integer' || parameter.type === 'number';
  return isNumber && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
