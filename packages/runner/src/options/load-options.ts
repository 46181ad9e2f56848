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

/** An option for each setting of the load, under its key; those that code reads by their names are typed. */
export const loadOptions = withEveryRow({
  client: optional(loadRows.client),
  depth: withDefault(loadRows.depth, loadRows.depth.of.option.preset),
  batch: withDefault(loadRows.batch, loadRows.batch.of.option.preset),
  sessions: withDefault(loadRows.sessions, loadRows.sessions.of.option.preset),
  rate: optional(loadRows.rate),
});

function withEveryRow<Named extends OptionGroup>(named: Named): Named {
  return { ...Object.fromEntries(settingsOfLoad().map((row) => [row.key, optionOf(row)])), ...named };
}

function optionOf(row: LoadSetting): z.ZodType {
  const { argument, preset } = row.of.option;
  if (argument === null) return z.boolean().prefault(false).register(texts, textOf(row));
  return preset === undefined ? optional(row) : withDefault(row, preset);
}

function optional<Value>(row: RowOf<Value>) {
  return valuesOf(row).optional().register(texts, textOf(row));
}

function withDefault<Value>(row: RowOf<Value>, preset: string) {
  return valuesOf(row).prefault(preset).register(texts, textOf(row));
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
