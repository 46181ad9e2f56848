import { afterEach, describe, expect, test } from 'vitest';
import { chosen } from '@fair-bench/contract/test-support';
import { suiteTarget, targetWorkload, workloadNamed } from '@fair-bench/conformance';
import { routeOf, schemaVariable } from '@fair-bench/contract';
import { loneTargetOptions, startLoneTarget } from '@fair-bench/supervisor';
import { members } from './support/members.ts';

const counter = await workloadNamed('counter');
const workload = targetWorkload(counter);

afterEach(() => {
  delete process.env[schemaVariable];
});

describe.for(chosen(members, ({ name }) => name === 'mariadb'))(
  '$name, whose user may make no schema',
  async ({ connector, system }) => {
    const { lacking, target } = await suiteTarget(routeOf(connector, 'driver'), counter);
    const urlOf = (user: string): string => {
      const url = new URL(target().deployment.endpoint.url);
      url.username = user;
      return url.href;
    };
    const asRoot = async (...statements: readonly string[]) => {
      const root = await system.connect(urlOf('root'));
      try {
        let rows: unknown;
        for (const statement of statements) rows = await root.query(statement, []);
        return rows;
      } finally {
        await root.end();
      }
    };
    const objects = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'
    UNION SELECT routine_name FROM information_schema.routines WHERE routine_schema = 'shop'`;

    test('uses the empty one that it is given, and leaves it empty', async ({ skip }) => {
      if (lacking !== null) skip(lacking);
      await asRoot('CREATE DATABASE shop', "CREATE USER clerk@'%'", "GRANT ALL ON shop.* TO clerk@'%'");
      process.env[schemaVariable] = 'shop';
      const options = { ...loneTargetOptions, url: urlOf('clerk'), workload };
      for (const route of ['driver', 'drizzle'] as const) {
        const named = await startLoneTarget(routeOf(connector, route), options);
        try {
          expect(await asRoot(objects)).toEqual(
            expect.arrayContaining([['made_by_fair_bench'], ['filled_by_fair_bench']]),
          );
        } finally {
          await named.close();
        }
        expect(await asRoot(objects)).toEqual([]);
        expect(
          await asRoot("SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'shop'"),
        ).toHaveLength(1);
      }
    });

    test('is refused with one that another run was killed in, and nothing there is dropped', async ({
      skip,
    }) => {
      if (lacking !== null) skip(lacking);
      await asRoot(
        'CREATE TABLE shop.filled_by_fair_bench (of_run_0 integer)',
        'CREATE TABLE shop.made_by_fair_bench (of_fair_bench integer)',
        'CREATE TABLE shop.precious (kept integer)',
      );
      process.env[schemaVariable] = 'shop';
      expect(
        await routeOf(connector, 'driver').probe({ ...loneTargetOptions, url: urlOf('clerk'), workload }),
      ).toMatchObject({
        available: false,
        reason: expect.stringContaining('what a run left that was killed'),
      });
      expect(await asRoot(objects)).toHaveLength(3);
      await asRoot('DROP TABLE shop.filled_by_fair_bench, shop.made_by_fair_bench, shop.precious');
    });

    test('is refused with one that has objects, and they stay', async ({ skip }) => {
      if (lacking !== null) skip(lacking);
      await asRoot('CREATE TABLE shop.precious (kept integer)');
      process.env[schemaVariable] = 'shop';
      expect(
        await routeOf(connector, 'driver').probe({ ...loneTargetOptions, url: urlOf('clerk'), workload }),
      ).toMatchObject({
        available: false,
        reason: 'a schema shop that is not ours is in this database, with objects in it',
      });
      expect(await asRoot(objects)).toEqual([['precious']]);
    });
  },
);
