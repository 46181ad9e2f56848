import { type OptionGroup, optionText, optionTexts, parseTexts, wholeNumberText } from '@fair-bench/runner';
import { z } from 'zod';

/** Types a command of the workbench by its options, which are as the runner's commands have them. `start` parses them; an InputError names the first that is refused. */
export function tool<const Options extends OptionGroup>(
  name: string,
  meaning: string,
  options: Options,
  run: (options: z.infer<z.ZodObject<Options>>) => Promise<number>,
) {
  const start = (given: unknown): (() => Promise<number>) => {
    const parsed = parseTexts(z.strictObject(options), given);
    return async () => await run(parsed);
  };
  return { name, meaning, arguments: [], options, start };
}

/** An option with its text; a flag has no argument. */
export function option<Schema extends z.ZodType>(
  argument: string | null,
  meaning: string,
  schema: Schema,
): Schema {
  optionTexts.add(schema, { argument, meaning });
  return schema;
}

export const flag = () => z.boolean().prefault(false);
export const word = () => z.string().min(1).optional();
/** Words separated by commas. */
export const words = z.string('got nothing; accepts names by commas').transform((text) => text.split(','));
export const whole = (least: number) => wholeNumberText(least, 100_000);
/** Whole numbers separated by commas. */
export const wholes = (least: number) => words.pipe(z.array(whole(least)));
export const decimal = (least: number) =>
  optionText(`a number from ${least}`, (text) =>
    text !== '' && Number.isFinite(Number(text)) && Number(text) >= least ? Number(text) : null,
  );
/** A timed part, in seconds. */
export const secondsText = decimal(0.001);
