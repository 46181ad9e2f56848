import { existsSync } from 'node:fs';
import { InputError } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';

/**
 * Files with the user's own tables are there, and one database has the tables of one: they are in one schema. Throws an InputError
 * with target, fact and remedy.
 */
export function checkOwnTables(targets: readonly TargetDefinition[]): void {
  const before = new Map<string, TargetDefinition>();
  for (const one of targets) {
    const { target, url, settings } = one;
    if (settings.setup !== null && !existsSync(settings.setup))
      throw new InputError(
        `${target}: setup: there is no file ${settings.setup}; name one with your CREATE TABLE statements`,
      );
    const other = url === null ? undefined : before.get(url);
    if (other !== undefined && other.settings.setup !== settings.setup)
      throw new InputError(
        `${target}: its tables are not those of ${other.target}, in one database; give each a database of its own, or leave the URL out`,
      );
    if (url !== null) before.set(url, one);
  }
}
