import { existsSync } from 'node:fs';
import { InputError } from '@fair-bench/contract';
import type { TargetDefinition } from './definition.ts';

/** Of URLs without one. */
const usualPorts: Readonly<Record<string, string>> = { postgres: '5432', mysql: '3306', mariadb: '3306' };

/**
 * Files with the user's own tables are there, and one server has the tables of one: they are in one schema, and where a schema is a
 * database, whatever database a URL names. Throws an InputError with target, fact and remedy.
 */
export function checkOwnTables(targets: readonly TargetDefinition[]): void {
  const before = new Map<string, TargetDefinition>();
  for (const one of targets) {
    const { target, url, settings, connector } = one;
    if (settings.setup !== null && !existsSync(settings.setup))
      throw new InputError(
        `${target}: setup: there is no file ${settings.setup}; name one with your CREATE TABLE statements`,
      );
    if (url === null || !URL.canParse(url)) continue;
    const { hostname, port } = new URL(url);
    const { system } = connector.manifest;
    const host = hostname === 'localhost' ? '127.0.0.1' : hostname;
    const server = `${system} ${host} ${port === '' ? usualPorts[system] : port}`;
    const other = before.get(server);
    if (other !== undefined && other.settings.setup !== settings.setup)
      throw new InputError(
        `${target}: its tables are not those of ${other.target}, on one server; measure them in two runs, on two servers, or without their URL`,
      );
    before.set(server, one);
  }
}
