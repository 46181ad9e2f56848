import { describe, expect, test } from 'vitest';
import { suiteTarget, workloadNamed } from '@fair-bench/conformance';
import { type Facts, routeOf } from '@fair-bench/contract';
import { members } from './support/members.ts';

const counter = await workloadNamed('counter');

describe.for(members)('$name', async ({ connector, name, system }) => {
  const { lacking, target } = await suiteTarget(routeOf(connector, 'driver'), counter);
  const asRoot = async (statement: string): Promise<void> => {
    const url = new URL(target().deployment.endpoint.url);
    url.username = 'root';
    const root = await system.connect(url.href);
    await root.query(statement, []);
    await root.end();
  };
  const facts = async (): Promise<Facts> => await target().deployment.facts(AbortSignal.timeout(5_000));

  test('a table that another engine keeps is not durable, whatever the settings of InnoDB say', async ({
    skip,
  }) => {
    if (lacking !== null) skip(lacking);
    expect(await facts()).toMatchObject({ durability: 'durable' });
    await asRoot('CREATE TABLE fair_bench.elsewhere (id int PRIMARY KEY) ENGINE = MEMORY');
    try {
      expect(await facts()).toMatchObject({
        durability: 'none',
        settings: { 'fair_bench.engine': 'MEMORY' },
      });
    } finally {
      await asRoot('DROP TABLE fair_bench.elsewhere');
    }
    expect(await facts()).toMatchObject({ durability: 'durable' });
  });

  test('an InnoDB without a log is not durable', async ({ skip }) => {
    if (lacking !== null) skip(lacking);
    if (name === 'mariadb') skip('MariaDB cannot turn its log off');
    await asRoot('ALTER INSTANCE DISABLE INNODB REDO_LOG');
    try {
      expect(await facts()).toMatchObject({ durability: 'none' });
    } finally {
      await asRoot('ALTER INSTANCE ENABLE INNODB REDO_LOG');
    }
    expect(await facts()).toMatchObject({ durability: 'durable' });
  });
});
