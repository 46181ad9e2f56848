import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fairBenchConfigSchema } from '@fair-bench/contract';
import { expect, test } from 'vitest';
import { configuredTargets } from '../src/config/configured-targets.ts';
import { setupText } from '../src/options/option-values.ts';
import { chosenTargets } from '../src/targets/known-targets.ts';
import { checkOwnTables } from '../src/targets/own-tables.ts';
import { catalog } from './support/this-workspace.ts';

const file = fileURLToPath(import.meta.url);
const none = { processes: 1, poolSize: 1, url: [], set: [], setup: [] };
const setupOf = (systems: readonly string[], setup: readonly { system: string; file: string }[]) =>
  chosenTargets(catalog, { ...none, systems: [...systems], setup: [...setup] }).map(
    ({ settings }) => settings.setup,
  );

test('the option names a file for every target of a system that takes one', () => {
  expect(setupText.parse('postgres=db/schema.sql')).toEqual({
    system: 'postgres',
    file: resolve('db/schema.sql'),
  });
  expect(setupText.safeParse('db/schema.sql').success).toBe(false);
  const setup = [{ system: 'sqlite', file }];
  // The engine in the load client has no tables.
  expect(setupOf(['sqlite-drizzle', 'sqlite-embedded', 'postgres-driver'], setup)).toEqual([
    file,
    null,
    null,
  ]);
});

test.for([
  ['postgre', ['postgres-driver'], /--setup: got "postgre=…"; accepts the systems .*/],
  [
    'sqlite',
    ['postgres-driver'],
    /--setup: got "sqlite=…"; accepts systems that --systems names and that take one/,
  ],
  [
    'sqlite',
    ['sqlite-embedded'],
    /accepts systems that --systems names and that take one, which sqlite is not/,
  ],
] as const)('a file for %s is refused where it would be ignored', ([system, systems, says]) => {
  expect(() => setupOf(systems, [{ system, file }])).toThrow(says);
});

test('a configured target has its own, from the folder of the configuration', () => {
  const read = (connector: string) =>
    configuredTargets(catalog, {
      path: '/shop/bench/fair-bench.config.ts',
      config: fairBenchConfigSchema.parse({ targets: { shop: { connector, setup: '../db/schema.sql' } } }),
    });
  const targets = chosenTargets(catalog, { ...none, systems: ['shop'] }, read('postgres-drizzle'));
  expect(targets.map(({ settings }) => settings.setup)).toEqual(['/shop/db/schema.sql']);
  expect(() => read('redis-driver')).toThrow(
    /targets\.shop\.setup: redis-driver takes no tables of yours; leave it out/,
  );
});

test('a file is there, and one database has the tables of one, before anything starts', () => {
  const url = [{ system: 'postgres', url: 'postgres://127.0.0.1:5432/shop' }];
  const targets = (...systems: string[]) => chosenTargets(catalog, { ...none, url, systems });
  const own = `postgres-driver[setup=${file}]`;
  expect(() => checkOwnTables(targets(own, `postgres-storedproc[setup=${file}]`))).not.toThrow();
  expect(() => checkOwnTables(targets(own, 'postgres-storedproc'))).toThrow(
    /postgres-storedproc: its tables are not those of postgres-driver@\S+, on one server; measure them in two runs/,
  );
  expect(() => checkOwnTables(targets('postgres-driver[setup=db/none.sql]'))).toThrow(
    /postgres-driver@none-sql-\w+: setup: there is no file .*db\/none\.sql; name one with your CREATE TABLE statements/,
  );
});
