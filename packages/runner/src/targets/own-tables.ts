import { existsSync } from 'node:fs';
import { InputError } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';

/**
 * Files with the user's own tables are there, and one server has the tables of one: they are in one schema, and where a schema is a
 * database, whatever database a URL names. Throws an InputError with target, fact and remedy.
 */
export function checkOwnTables(targets: readonly TargetDefinition[]): void {
  const before = new Map<string, TargetDefinition>();
  for (const one of targets) {
    const { target, url, settings, system } = one;
    if (settings.setup !== null && !existsSync(settings.setup))
      throw new InputError(
        `${target}: setup: there is no file ${settings.setup}; name one with your CREATE TABLE statements`,
      );
    if (url === null || !URL.canParse(url)) continue;
    const server = `${system} ${new URL(url).host}`;
    const other = before.get(server);
    if (other !== undefined && other.settings.setup !== settings.setup)
      throw new InputError(
        `${target}: its tables are not those of ${other.target}, on one server; measure them in two runs, on two servers, or without their URL`,
      );
    before.set(server, one);
  }
}
