import { z } from 'zod';
import { durationText, optionText, parseTexts, wholeNumberText } from '@fair-bench/runner';

/** The options of `bench:aa`, from text to values; the duration is milliseconds. */
const aaOptionsSchema = z.strictObject({
  target: z.string().optional(),
  repetitions: wholeNumberText(1, 10_000),
  duration: durationText(100),
  out: optionText('a folder', (text) => (text === '' || text.includes('\0') ? null : text)).optional(),
});
export type AaOptions = z.infer<typeof aaOptionsSchema>;

export const aaDefaults = { repetitions: '40', duration: '1s' } as const;

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseAaOptions(texts: unknown): AaOptions {
  return parseTexts(aaOptionsSchema, texts);
}
