import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import { defaultTexts, optionName } from './option-texts.ts';
import { everyRun, gridOptions, modeOptions } from './table.ts';

/**
 * The options of a run, from text to values. What depends on the workspace (its systems) or on the workload (its
 * parameters) is checked by the plan.
 */
const runOptionsSchema = z
  .strictObject({ ...gridOptions, ...everyRun, ...modeOptions })
  .superRefine(({ trials, budget, precision }, context) => {
    if (trials === undefined || (budget === undefined && precision === undefined)) return;
    const other = budget === undefined ? '--precision' : '--budget';
    const message = `got "${trials}" with ${other}; accepts one of the two: --trials fixes the rounds`;
    context.addIssue({ code: 'custom', path: ['trials'], message });
  });
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** What an option is when it is not given: the defaults of fair mode, as text. */
export const runDefaults = defaultTexts(runOptionsSchema.shape);

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseRunOptions(texts: unknown): RunOptions {
  return parseTexts(runOptionsSchema, texts);
}

/** The same for the options of another command. */
export function parseTexts<T>(schema: z.ZodType<T>, texts: unknown): T {
  const parsed = schema.safeParse(texts);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InputError(`${optionName(issue?.path[0])}: ${issue?.message ?? 'refused'}`);
}
