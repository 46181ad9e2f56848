import { type LoadSetting, settingsOfLoad } from '@fair-bench/results';
import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import { givenValues } from './load-options.ts';
import { defaultTexts, optionName } from './option-texts.ts';
import { everyRun, gridOptions, modeOptions, gapOptions, killTestOptions } from './table.ts';

/**
 * The options of a run, from text to values. The plan checks what depends on the workspace (its systems) or on the
 * workload (its parameters).
 */
const runOptionsSchema = z
  .strictObject({ ...gridOptions, ...everyRun, ...modeOptions })
  .superRefine((options, context) => {
    for (const setting of settingsOfLoad()) {
      const message = refusalOf(setting, options);
      if (message !== null) context.addIssue({ code: 'custom', path: [setting.key], message });
    }
  })
  .superRefine(({ trials, budget, precision }, context) => {
    if (trials === undefined || (budget === undefined && precision === undefined)) return;
    const other = budget === undefined ? '--precision' : '--budget';
    const message = `got "${trials}" with ${other}; accepts only one of the two: --trials fixes the rounds`;
    context.addIssue({ code: 'custom', path: ['trials'], message });
  });
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** Why a setting of the load cannot be given beside the other options; null if it can. */
function refusalOf(setting: LoadSetting, options: Readonly<Record<string, unknown>>): string | null {
  const { isOfFairMode = false, isOneInOptimizedMode = false, excludes, argument } = setting.of.option;
  const given = givenValues(setting, options);
  if (given.length === 0) return null;
  const got = argument === null ? 'it' : `"${given.map(setting.of.textOf ?? String).join(',')}"`;
  const mode = String(options['mode']);
  if (excludes !== undefined && options[excludes.option] === excludes.value) {
    const other = `--${excludes.option} ${excludes.value}, ${excludes.why}`;
    return `got ${got} with ${other}; accepts only one of the two`;
  }
  if (isOfFairMode && mode !== 'fair') return `got ${got} with --mode ${mode}; accepts only fair mode`;
  if (isOneInOptimizedMode && mode === 'optimized' && given.length > 1)
    return `got ${got} with --mode optimized; accepts one number`;
  return null;
}

/** The default texts: those of fair mode. */
export const runDefaults = defaultTexts(runOptionsSchema.shape);

/** The grid that optimized mode searches where sessions and depth are not given; it is extended where that gains. */
export const searchGrid = { sessions: '1,3,6,12,25,50,100,200', depth: '1,2,4,8,16,32' } as const;

/** Parses the texts of a command line; an InputError names the first refused option. */
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

const explainOptionsSchema = z
  .strictObject({ ...gapOptions, ...everyRun })
  .superRefine(({ from, to, claim, ...rest }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (claim === undefined) {
      // Without both ends the command lists the claims.
      if (from === undefined && to !== undefined)
        refuse('from', 'got nothing; accepts TARGET[key=value,…], or --claim NAME instead');
      else if (to === undefined && from !== undefined)
        refuse('to', 'got nothing; accepts TARGET[key=value,…]');
      return;
    }
    if (from !== undefined) refuse('from', `got "${from}" with --claim; accepts one of the two`);
    if (to !== undefined) refuse('to', `got "${to}" with --claim; accepts one of the two`);
    for (const key of ['sessions', 'depth'] as const) {
      const value = rest[key];
      if (value !== undefined) refuse(key, `got "${value}" with --claim; accepts nothing: the claim sets it`);
    }
    for (const { key } of rest.param) refuse(key, 'accepts nothing with --claim: the claim sets it');
  });
export type ExplainOptions = z.infer<typeof explainOptionsSchema>;

export function parseExplainOptions(texts: unknown): ExplainOptions {
  return parseTexts(explainOptionsSchema, texts);
}

const killTestOptionsSchema = z.strictObject(killTestOptions);
export type KillTestOptions = z.infer<typeof killTestOptionsSchema>;

export function parseKillTestOptions(texts: unknown): KillTestOptions {
  return parseTexts(killTestOptionsSchema, texts);
}
