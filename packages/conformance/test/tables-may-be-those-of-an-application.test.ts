import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chosen } from '@fair-bench/contract/test-support';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { LiarBench, verdictOf } from './support/liar-bench.ts';
import { runSql } from './support/run-sql.ts';
import { refusal, shop, workload } from './support/shop.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-own-tables-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

const schemas = {
  'postgres-driver': 'postgres.schema.sql',
  'sqlite-drizzle': 'sqlite.schema.sql',
  'mariadb-driver': 'mysql.schema.sql',
  'mysql-driver': 'mysql.schema.sql',
};
type Target = keyof typeof schemas;
const all: readonly Target[] = ['postgres-driver', 'sqlite-drizzle', 'mariadb-driver', 'mysql-driver'];
const targets = chosen(all, (target) => target !== 'mysql-driver');

test.for(targets)(
  '%s has them, and every row of two trials is audited in them',
  { timeout: 120_000 },
  async (target, { skip }) => {
    const lack = await LiarBench.lack(target, {});
    if (lack !== null) skip(lack);
    const setup = join(shop, schemas[target]);
    // A server of MySQL's family takes it from its environment.
    vi.stubEnv('TZ', 'Asia/Tokyo');
    onTestFinished(() => void vi.unstubAllEnvs());
    const bench = await LiarBench.with({ setup }, workload, target);
    onTestFinished(() => bench.close());
    // Sessions of PostgreSQL's load then have another time zone than those that read beside it.
    if (target === 'postgres-driver')
      await runSql(
        bench.deployment(target).endpoint.url,
        "ALTER ROLE CURRENT_USER SET timezone = 'Asia/Tokyo'",
      );
    await bench.rehearse(target, bench.deployment(target), false, true);
    const { settings } = await bench.deployment(target).facts(AbortSignal.timeout(30_000));
    expect(settings['fair_bench.setup']).toMatch(/^\w+\.schema\.sql [0-9a-f]{12}$/);
    for (const round of [1, 2]) {
      const record = await bench.withoutClient(target, { sessions: 4 });
      expect(verdictOf(record), `trial ${round}`).toBe('ok');
      expect(record).toMatchObject({ audit: { status: 'passed', mismatches: 0 } });
      expect(record.audit?.rowsChecked).toBeGreaterThan(1_000);
    }
  },
);

test(
  'on a user’s MariaDB a file is refused before its first statement where one is not of our schema alone',
  { timeout: 120_000 },
  async ({ skip }) => {
    const lack = await LiarBench.lack('mariadb-driver', {});
    if (lack !== null) skip(lack);
    // The user's database is another run's schema.
    vi.stubEnv('FAIR_BENCH_SCHEMA', 'shop');
    onTestFinished(() => void vi.unstubAllEnvs());
    const setup = join(shop, 'mysql.schema.sql');
    const bench = await LiarBench.with({ setup }, workload, 'mariadb-driver');
    onTestFinished(() => bench.close());
    const own = bench.deployment('mariadb-driver').endpoint.url;
    const says: string[] = [];
    for (const statement of [
      'DROP SCHEMA shop;',
      '/*!40000 DROP DATABASE IF EXISTS `shop` */;',
      '/*!50000 USE shop */;',
      'SET @@GLOBAL.foreign_key_checks = 0;',
      "GRANT ALL ON *.* TO 'a'@'%';",
      "PREPARE s FROM 'DROP DATABASE shop';",
      "SET sql_mode = 'ANSI_QUOTES';",
      'DROP TABLE IF EXISTS "shop"."customers";',
      "CREATE TRIGGER x AFTER INSERT ON sales FOR EACH ROW -- the shop's log\n INSERT INTO shop.customers VALUES (2, 'x') /* that's all */;",
    ]) {
      const path = join(scratch, 'mysql.sql');
      await writeFile(path, `${readFileSync(setup, 'utf8')}\n${statement}\n`);
      vi.stubEnv('FAIR_BENCH_SCHEMA', 'fair_bench_of_another');
      const why = await refusal(path, 'mariadb-driver', own);
      expect(why, statement).toMatch(
        /, which is not of the schema fair_bench_of_another alone; leave it out/,
      );
      says.push(/": (.*?), which is/.exec(why)?.[1] ?? why);
    }
    expect(says).toEqual([
      'DROP SCHEMA',
      'DROP DATABASE',
      'USE',
      'GLOBAL',
      'GRANT',
      'PREPARE',
      'a sql_mode with other quotes',
      'the database shop (an alias must not have the name of one)',
      'the database shop (an alias must not have the name of one)',
    ]);
    vi.stubEnv('FAIR_BENCH_SCHEMA', 'shop');
    expect(verdictOf(await bench.withoutClient('mariadb-driver', { sessions: 2 }))).toBe('ok');
  },
);
