import { z } from 'zod';
import { namedFields } from './load-settings.ts';
import { settingsOfLoad } from './rows.ts';

/** The load of a cell, as fields of a schema. */
export const loadFields = withEveryRow(namedFields);

/** What a cell has of the table: the settings of its load. */
export const loadSchema = z.strictObject(loadFields);
export type LoadValues = z.infer<typeof loadSchema>;

function withEveryRow<Fields extends z.ZodRawShape>(named: Fields): Fields {
  return { ...Object.fromEntries(settingsOfLoad().map(({ of }) => [of.field, of.schema])), ...named };
}
