import { z } from 'zod';
import { parseTexts } from './run-options.ts';
import { killTestOptions } from './table.ts';

const killTestOptionsSchema = z.strictObject(killTestOptions);
export type KillTestOptions = z.infer<typeof killTestOptionsSchema>;

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseKillTestOptions(texts: unknown): KillTestOptions {
  return parseTexts(killTestOptionsSchema, texts);
}
