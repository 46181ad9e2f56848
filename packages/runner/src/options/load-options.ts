import {
  loadRows,
  loadSchema,
  type LoadSetting,
  type LoadValues,
  type Setting,
  settingsOfLoad,
  type SettingValue,
} from '@fair-bench/results';
import { z } from 'zod';
import { type OptionGroup, optionTexts as texts } from './option-texts.ts';
import { settingValuesText } from './option-values.ts';

/** A row whose field has this schema. */
type RowOf<Value> = LoadSetting & { readonly of: { readonly schema: z.ZodType<Value | undefined> } };

/** An option for each setting of the load, under its key. */
export const loadOptions = withEveryRow({
  client: valuesOf(loadRows.client).optional().register(texts, textOf(loadRows.client)),
  depth: valuesOf(loadRows.depth)
    .prefault(loadRows.depth.of.option.preset)
    .register(texts, textOf(loadRows.depth)),
  batch: valuesOf(loadRows.batch)
    .prefault(loadRows.batch.of.option.preset)
    .register(texts, textOf(loadRows.batch)),
  sessions: valuesOf(loadRows.sessions)
    .prefault(loadRows.sessions.of.option.preset)
    .register(texts, textOf(loadRows.sessions)),
  rate: valuesOf(loadRows.rate).optional().register(texts, textOf(loadRows.rate)),
});

/** Those that code reads by their names are typed. */
function withEveryRow<Named extends OptionGroup>(named: Named): Named {
  return { ...Object.fromEntries(settingsOfLoad().map((row) => [row.key, optionOf(row)])), ...named };
}

function optionOf(row: LoadSetting): z.ZodType {
  const { argument, preset } = row.of.option;
  if (argument === null) return z.boolean().prefault(false).register(texts, textOf(row));
  const values = valuesOf(row);
  return (preset === undefined ? values.optional() : values.prefault(preset)).register(texts, textOf(row));
}

function valuesOf<Value>(row: RowOf<Value>) {
  return settingValuesText(row).transform((given): readonly Value[] =>
    given.map((value) => row.of.schema.parse(value)).filter((value) => value !== undefined),
  );
}

function textOf({ of }: LoadSetting) {
  const { argument, meaning, otherwise } = of.option;
  return { argument, meaning, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** Options by their keys. */
type Options = Readonly<Record<string, unknown>>;

const givenSchema = z.array(z.union([z.string(), z.number(), z.boolean()]));

/** The values that options give a setting; empty where they leave it out. */
export function givenValues({ key }: Setting, options: Options): readonly SettingValue[] {
  const given = options[key];
  if (given === undefined || given === false) return [];
  return givenSchema.parse(Array.isArray(given) ? given : [given]);
}

/**
 * Every combination of the load that options ask for, by all load clients that they name, the last setting varying first; of one
 * rate the plan has it, not the cells.
 */
export function loadsOf(options: Options): readonly Omit<LoadValues, 'client'>[] {
  let all: readonly Readonly<Record<string, SettingValue>>[] = [{}];
  for (const setting of settingsOfLoad()) {
    if (setting === loadRows.client) continue;
    const values = givenValues(setting, options);
    const isOfPlan = setting === loadRows.rate && values.length === 1;
    if (values.length === 0 || isOfPlan) continue;
    all = all.flatMap((one) => values.map((value) => ({ ...one, [setting.of.field]: value })));
  }
  return all.map((one) => loadSchema.omit({ client: true }).parse(one));
}
