import { badOption, InputError, type JsonObject } from '@fair-bench/contract';
import { defaultParameters, type Parameter, resolveWorkload, WorkloadError } from '@fair-bench/workload';
import type { RunOptions } from '../options/run-options.ts';
import type { LoadedWorkload } from '../discover/workload.ts';
import { suggestion } from '../options/nearest.ts';
import { optionName } from '../options/option-texts.ts';
import { everyRun, gapOptions, gridOptions, modeOptions } from '../options/table.ts';
import { numbersOfRange } from '../options/number-range.ts';
import { listForm } from '../options/option-values.ts';
import type { AxisSetting } from '@fair-bench/results';

/** The options that set the workload's parameters. */
type ParameterOptions = Pick<RunOptions, 'param' | 'seed'>;

const optionNames = Object.keys({ ...gridOptions, ...everyRun, ...modeOptions, ...gapOptions }).map(
  optionName,
);

type ParameterValue = number | string | boolean;

/** One combination of the workload's axes. */
export interface WorkloadPoint {
  /** Every parameter of the workload, and the seed. */
  readonly parameters: JsonObject;
  /** The axes in a cell's name: `-a0.5`; empty for a workload without one. */
  readonly label: string;
}

/**
 * Every combination of the axes' values: from the options, otherwise the first of the axis's own. InputErrors that name the
 * option: an unknown parameter, an invalid value, several values of a parameter that is not an axis.
 */
export function pointsOf(workload: LoadedWorkload, options: ParameterOptions): readonly WorkloadPoint[] {
  const { axes } = workload.description;
  const given = valuesOf(workload, options);
  let combinations: readonly Readonly<Record<string, ParameterValue>>[] = [{}];
  for (const { parameter, sweep } of axes) {
    const values = given.get(parameter) ?? sweep.slice(0, 1);
    if (values.length === 0) continue;
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [parameter]: value })));
  }
  return combinations.map((combination) => pointOf(workload, options.seed, given, combination));
}

/** The option of each axis that is not given and has several values of its own: `--alpha 0.5,1.5`. */
export function otherPoints(workload: LoadedWorkload, options: ParameterOptions): readonly string[] {
  const { axes, parameters } = workload.description;
  const given = valuesOf(workload, options);
  return axes.flatMap(({ parameter: name, sweep }) => {
    const parameter = parameters.find((one) => one.name === name);
    if (parameter === undefined || given.has(name) || sweep.length < 2) return [];
    return [`--${parameter.option} ${sweep.join(',')}`];
  });
}

/** One point: `at` overrides the options, and the rest are the workload's defaults. */
export function pointAt(
  workload: LoadedWorkload,
  options: ParameterOptions,
  at: Readonly<Record<string, ParameterValue>>,
): WorkloadPoint {
  return pointOf(workload, options.seed, valuesOf(workload, options), at);
}

type Given = ReturnType<typeof valuesOf>;

function pointOf(
  workload: LoadedWorkload,
  seed: string,
  given: Given,
  at: Readonly<Record<string, ParameterValue>>,
): WorkloadPoint {
  const { description } = workload;
  const single = [...given].flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const parameters: JsonObject = {
    ...defaultParameters(description),
    seed,
    ...Object.fromEntries(single),
    ...at,
  };
  const label = description.axes
    .map((axis) => `-${axis.label}${JSON.stringify(parameters[axis.parameter]).replaceAll('"', '')}`)
    .join('');
  return { parameters: checked(workload, parameters), label };
}

/** The workload's axes as settings: `TARGET[AXIS=1.5]`. */
export function axisSettings({ description }: LoadedWorkload): readonly AxisSetting[] {
  return description.axes.flatMap((axis) => {
    const parameter = description.parameters.find(({ name }) => name === axis.parameter);
    if (parameter === undefined) return [];
    const parse = (text: string): string | null => {
      const value = parseValue(parameter, text);
      return value === null ? null : String(value);
    };
    return [
      { key: axis.parameter, name: axis.factor ?? axis.parameter, accepts: acceptedBy(parameter), parse },
    ];
  });
}

/** The point that settings of the workload's axes describe. */
export function pointOfSettings(
  workload: LoadedWorkload,
  options: ParameterOptions,
  settings: Readonly<Record<string, string>>,
): WorkloadPoint {
  const { axes, parameters } = workload.description;
  const at = axes.flatMap(({ parameter: name }) => {
    const parameter = parameters.find((one) => one.name === name);
    const value = parameter === undefined ? null : parseValue(parameter, settings[name] ?? '');
    return value === null ? [] : [[name, value] as const];
  });
  return pointAt(workload, options, Object.fromEntries(at));
}

/** The workload's parameters, as `--help` lists them. */
export function describeParameters({ name, description }: LoadedWorkload): string {
  const rows = description.parameters.map((parameter) => {
    const axis = description.axes.find((one) => one.parameter === parameter.name);
    const flag = parameter.default === true ? `--no-${parameter.option}` : `--${parameter.option} <value>`;
    return [flag, `${parameter.about} (default: ${axis?.sweep[0] ?? parameter.default})`] as const;
  });
  const width = Math.max(0, ...rows.map(([flag]) => flag.length)) + 2;
  const lines = rows.map(([flag, about]) => `  ${flag.padEnd(width)}${about}`);
  return [`\nParameters of the workload ${name}:`, ...lines].join('\n');
}

/** A text as a value of the parameter; null if invalid. Its range is checked with the others. */
function parseValue(parameter: Parameter, text: string): ParameterValue | null {
  if (parameter.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : null;
  if (parameter.type === 'choice') return parameter.options.includes(text) ? text : null;
  if (parameter.type === 'int64') return /^-?\d+$/.test(text) ? text : null;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (parameter.type === 'integer') return Number.isSafeInteger(value) ? value : null;
  return Number.isFinite(value) ? value : null;
}

function valuesOf(
  { name, description }: LoadedWorkload,
  { param }: ParameterOptions,
): ReadonlyMap<string, readonly ParameterValue[]> {
  const values = new Map<string, readonly ParameterValue[]>();
  for (const { key, values: text } of param) {
    const parameter = description.parameters.find((one) => one.name === key || one.option === key);
    if (parameter === undefined) {
      if (optionNames.includes(`--${key}`)) {
        const message = `unknown option '--${key}': other commands take it, this one does not; docs/options.md has the options of each`;
        throw new InputError(message);
      }
      const own = description.parameters.map(({ option }) => `--${option}`);
      const near = suggestion(`--${key}`, [...own, ...optionNames]);
      throw new InputError(
        `unknown option '--${key}'${near}: neither the command nor the workload ${name} has it; the workload has ${own.join(', ')}; see --help`,
      );
    }
    const isAxis = description.axes.some((axis) => axis.parameter === parameter.name);
    const accepts = isAxis ? `${acceptedBy(parameter)}, ${listForm}` : acceptedBy(parameter);
    const parsed = parseValues(parameter, text);
    if (parsed === null || (parsed.length > 1 && !isAxis)) throw badOption(parameter.option, text, accepts);
    values.set(parameter.name, parsed);
  }
  return values;
}

/** Values by commas, and ranges of numbers, each once; null where one is not valid. */
function parseValues(parameter: Parameter, text: string): readonly ParameterValue[] | null {
  const isNumber = parameter.type === 'number' || parameter.type === 'integer';
  const values = text.split(',').flatMap((item): readonly (ParameterValue | null)[] => {
    const range = isNumber ? numbersOfRange(item.trim()) : null;
    return range?.map((value) => parseValue(parameter, String(value))) ?? [parseValue(parameter, item)];
  });
  const valid = values.filter((value) => value !== null);
  return valid.length < values.length || new Set(valid).size < valid.length ? null : valid;
}

function acceptedBy(parameter: Parameter): string {
  if (parameter.type === 'boolean') return 'true or false';
  if (parameter.type === 'choice') return parameter.options.join(' or ');
  const numbers = parameter.type === 'number' ? 'numbers' : 'a whole number';
  return `${numbers} from ${parameter.min} to ${parameter.max}`;
}

/** A complete set that the workload refuses becomes an InputError that names the option. */
function checked({ description }: LoadedWorkload, parameters: JsonObject): JsonObject {
  try {
    resolveWorkload(description, parameters);
    return parameters;
  } catch (error) {
    if (!(error instanceof WorkloadError)) throw error;
    const [mistake] = error.mistakes;
    const name = String(mistake?.path[1] ?? 'param');
    const parameter = description.parameters.find((one) => one.name === name);
    const accepts = parameter === undefined ? (mistake?.message ?? '') : acceptedBy(parameter);
    const got = JSON.stringify(parameters[name] ?? '').replaceAll('"', '');
    throw badOption(parameter?.option ?? name, got, accepts, { cause: error });
  }
}
