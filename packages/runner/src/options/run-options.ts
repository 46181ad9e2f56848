import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import { defaultTexts, optionName } from './option-texts.ts';
import { everyRun, gridOptions, modeOptions, gapOptions, killTestOptions } from './table.ts';

/**
 * The options of a run, from text to values. The plan checks what depends on the workspace (its systems) or on the
 * workload (its parameters).
 */
const runOptionsSchema = z
  .strictObject({ ...gridOptions, ...everyRun, ...modeOptions })
  .superRefine(({ cores, pin, mode }, context) => {
    if (cores === undefined || (pin !== 'on' && mode === 'fair')) return;
    const other = mode === 'fair' ? '--pin on, which splits the processors too' : `--mode ${mode}`;
    context.addIssue({
      code: 'custom',
      path: ['cores'],
      message: `got "${cores.join(',')}" with ${other}; accepts only one of the two`,
    });
  })
  .superRefine(({ memory, mode }, context) => {
    if (memory === undefined || mode === 'fair') return;
    const message = `got "${memory.map((size) => `${size}m`).join(',')}" with --mode ${mode}; accepts only fair mode`;
    context.addIssue({ code: 'custom', path: ['memory'], message });
  })
  .superRefine(({ cold, mode }, context) => {
    if (!cold || mode === 'fair') return;
    const message = `got it with --mode ${mode}; accepts only fair mode`;
    context.addIssue({ code: 'custom', path: ['cold'], message });
  })
  .superRefine(({ batch, mode }, context) => {
    if (mode !== 'optimized' || batch.length === 1) return;
    const message = `got "${batch.join(',')}" with --mode optimized; accepts one number`;
    context.addIssue({ code: 'custom', path: ['batch'], message });
  })
  .superRefine(({ trials, budget, precision }, context) => {
    if (trials === undefined || (budget === undefined && precision === undefined)) return;
    const other = budget === undefined ? '--precision' : '--budget';
    const message = `got "${trials}" with ${other}; accepts only one of the two: --trials fixes the rounds`;
    context.addIssue({ code: 'custom', path: ['trials'], message });
  });
export type RunOptions = z.infer<typeof runOptionsSchema>;

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
