import { z } from 'zod';

/** The text of an option in `--help` and docs/options.md; its schema has the default and whether it repeats. */
interface OptionText {
  /** What follows the option's name; null for a flag. */
  readonly argument: string | null;
  readonly meaning: string;
  /** The default in words, if it is not a text that could be given. */
  readonly otherwise?: string;
}

/** The texts of every option, by its schema. */
export const optionTexts = z.registry<OptionText>();

/** Options under their names in camel case, each a schema from text to value. */
export type OptionGroup = Readonly<Record<string, z.ZodType>>;

/** One option as the command line and the documentation have it. */
export interface DescribedOption extends OptionText {
  readonly key: string;
  /** `--pool-size`, or `--no-scramble` of a flag that is on by default. */
  readonly flag: string;
  readonly isRepeatable: boolean;
  /** In words; null without a default. */
  readonly defaultText: string | null;
}

/** The options of a group in order. Throws for one without a text: it would be undocumented. */
export function describedOptions(group: OptionGroup): readonly DescribedOption[] {
  return Object.entries(group).map(([key, schema]) => {
    const text = optionTexts.get(schema);
    if (text === undefined) throw new Error(`${optionName(key)}: the option has no text`);
    const given = defaultOf(schema);
    const name = optionName(key);
    return {
      ...text,
      key,
      flag: given === true ? name.replace('--', '--no-') : name,
      isRepeatable: Array.isArray(given),
      defaultText: text.otherwise ?? (typeof given === 'string' ? given : null),
    };
  });
}

/** The defaults of the options that have a text as default, under their names. */
export function defaultTexts(group: OptionGroup): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(group).flatMap(([key, schema]) => {
      const given = defaultOf(schema);
      return typeof given === 'string' ? [[key, given]] : [];
    }),
  );
}

/** A key of the options as it is typed: `--pool-size`. */
export function optionName(key: PropertyKey | undefined): string {
  return `--${String(key).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function defaultOf(schema: z.ZodType): unknown {
  return schema instanceof z.ZodPrefault ? schema.def.defaultValue : undefined;
}
