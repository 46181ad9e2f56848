import { z } from 'zod';
import { parseTexts } from './run-options.ts';
import { everyRun, gapOptions } from './table.ts';

const explainOptionsSchema = z
  .strictObject({ ...gapOptions, ...everyRun })
  .superRefine(({ from, to, claim, ...rest }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (claim === undefined) {
      if (from === undefined)
        refuse('from', 'got nothing; accepts TARGET[key=value,…], or --claim NAME instead');
      else if (to === undefined) refuse('to', 'got nothing; accepts TARGET[key=value,…]');
      return;
    }
    if (from !== undefined) refuse('from', `got "${from}" with --claim; accepts one of the two`);
    if (to !== undefined) refuse('to', `got "${to}" with --claim; accepts one of the two`);
    for (const key of ['sessions', 'depth'] as const) {
      const value = rest[key];
      if (value !== undefined)
        refuse(key, `got "${value}" with --claim; accepts nothing: a claim has its own`);
    }
    for (const { key } of rest.param) refuse(key, 'accepts nothing with --claim: a claim has its own');
  });
export type ExplainOptions = z.infer<typeof explainOptionsSchema>;

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseExplainOptions(texts: unknown): ExplainOptions {
  return parseTexts(explainOptionsSchema, texts);
}
