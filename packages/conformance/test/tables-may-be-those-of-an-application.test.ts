import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@fair-bench/contract';
import { chosen } from '@fair-bench/contract/test-support';
import { loadWorkload } from '@fair-bench/runner';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { root } from '../src/workloads.ts';
import { LiarBench, verdictOf } from './support/liar-bench.ts';
import { runSql } from './support/run-sql.ts';

const shop = fileURLToPath(new URL('fixtures/shop/', import.meta.url));
const workload = await loadWorkload(root, shop);
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

/** A server of a user's, whose database has something in it. */
let servers: LiarBench | null = null;
let theirs = new Client();
let url = '';
beforeAll(async () => {
  // Without a file the tables are made as they are described, under the names that they are stored as.
  servers = await LiarBench.on(workload, 'postgres-driver');
  const place = new URL(servers.deployment('postgres-driver').endpoint.url);
  const asAdmin = new Client({ connectionString: place.href });
  await asAdmin.connect();
  await asAdmin.query('CREATE DATABASE theirs');
  await asAdmin.end();
  place.pathname = '/theirs';
  url = place.href;
  theirs = new Client({ connectionString: url });
  await theirs.connect();
  await theirs.query(
    "CREATE TABLE customers (customer_id bigint PRIMARY KEY, email text); INSERT INTO customers VALUES (1, 'theirs'); CREATE TYPE mood AS ENUM ('glad')",
  );
}, 60_000);
afterAll(async () => {
  await theirs.end();
  await servers?.close();
});

let files = 0;
/** The application's file, changed. */
async function changed(from: string, to: string): Promise<string> {
  const text = readFileSync(join(shop, 'postgres.schema.sql'), 'utf8');
  expect(text).toContain(from);
  files += 1;
  const path = join(scratch, `${files}.sql`);
  await writeFile(
    path,
    text.replaceAll(from, () => to),
  );
  return path;
}

/** Why a target with this file does not start on the user's server. */
async function refusal(setup: string, target: Target = 'postgres-driver', at = url): Promise<string> {
  try {
    const bench = await LiarBench.with({ setup, url: at }, workload, target);
    await bench.close();
  } catch (error) {
    return messageOf(error);
  }
  return 'it started';
}

test.for([
  {
    what: 'has another table',
    from: 'TABLE customers',
    to: 'TABLE clients',
    says: /PostgreSQL refuses "INSERT INTO customers .*": relation "customers" does not exist; correct the SQL there/,
  },
  {
    what: 'lacks a described table',
    from: ' sales ',
    to: ' sold ',
    says: /it makes no table sales, only Products, customers, sold; say storedAs in the table sale of the workload/,
  },
  {
    what: 'lacks a described column',
    from: 'count integer NOT NULL CHECK (count > 0),',
    to: '',
    says: /its table sales has no column count, only sale_id, number, .*; say storedAs/,
  },
  {
    what: 'has a column that needs a value',
    from: " DEFAULT 'without; a label'",
    to: '',
    says: /its column Products\.label needs a value, and the workload has none; give it a default/,
  },
  {
    what: 'has a column in which a value is not exact',
    from: '"stockQuantity" integer',
    to: '"stockQuantity" numeric(12, 4)',
    says: /its column Products\.stockQuantity is numeric\(4\), in which int64 of the workload is not exact/,
  },
  {
    what: 'is no SQL',
    from: 'CREATE INDEX',
    to: 'CREATE IDNEX',
    says: /PostgreSQL refuses "CREATE IDNEX products_by_label.*": syntax error.*correct the SQL there/,
  },
  {
    what: 'is for psql',
    from: 'BEGIN;',
    to: '\\connect shop\nBEGIN;',
    says: /\\connect shop: a command of psql, not of PostgreSQL; leave it out/,
  },
  {
    what: 'changes the server',
    from: 'BEGIN;',
    to: 'CREATE ROLE shop;',
    says: /"CREATE ROLE shop": CREATE ROLE, which is not of the schema fair_bench alone; leave it out/,
  },
  {
    what: 'ends our transaction',
    from: 'COMMIT;',
    to: 'ROLLBACK; DROP TABLE public.customers;',
    says: /"ROLLBACK": ROLLBACK, which is not of the schema fair_bench alone/,
  },
])('a file that $what is refused, with the remedy', { timeout: 60_000 }, async ({ from, to, says }) => {
  const path = await changed(from, to);
  const why = await refusal(path);
  expect(why).toContain(`setup ${path}: `);
  expect(why).toMatch(says);
});

test('a file that is not there is refused', async () => {
  expect(await refusal(join(scratch, 'none.sql'))).toMatch(/none\.sql: .*name a file with CREATE TABLE/);
});

test('rows that break a foreign key end the seeding, and the key is named', { timeout: 60_000 }, async () => {
  const label = 'label varchar(80) NOT NULL';
  const owner = `owner bigint NOT NULL DEFAULT 7 CONSTRAINT owned REFERENCES customers (customer_id),\n  ${label}`;
  const setup = await changed(label, owner);
  const bench = await LiarBench.with({ setup, url }, workload, 'postgres-driver');
  onTestFinished(() => bench.close());
  const record = await bench.withoutClient('postgres-driver', { sessions: 1 });
  expect(verdictOf(record)).toMatch(/violates foreign key constraint "owned"/);
});

test(
  'a table that the workload does not describe and that grows ends the next seeding, by its name',
  { timeout: 60_000 },
  async () => {
    const log = `CREATE TABLE sales_log (sale_id bigint);
CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO fair_bench.sales_log VALUES (NEW.sale_id); RETURN NEW; END $$;
CREATE TRIGGER logs AFTER INSERT ON sales FOR EACH ROW EXECUTE FUNCTION logs();
COMMIT;`;
    const bench = await LiarBench.with(
      { setup: await changed('COMMIT;', log), url },
      workload,
      'postgres-driver',
    );
    onTestFinished(() => bench.close());
    expect(verdictOf(await bench.withoutClient('postgres-driver', { sessions: 1 }))).toBe('ok');
    const record = await bench.withoutClient('postgres-driver', { sessions: 1 });
    expect(verdictOf(record)).toMatch(
      /void: the table sales_log, which the workload does not describe, has \d+ rows and not the 0 of its file/,
    );
  },
);

test(
  'foreign keys and triggers are in force while a trial runs, and the user’s fillfactor stays',
  { timeout: 60_000 },
  async () => {
    const setup = await changed(
      'sold_at timestamptz NOT NULL\n)',
      'sold_at timestamptz NOT NULL\n) WITH (fillfactor = 70)',
    );
    const bench = await LiarBench.with({ setup, url }, workload, 'postgres-driver');
    onTestFinished(() => bench.close());
    const record = await bench.withoutClient('postgres-driver', { sessions: 1 });
    expect(verdictOf(record)).toBe('ok');
    const { rows } = await theirs.query(
      `SELECT (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = 'fair_bench'::regnamespace)::int AS keys,
       (SELECT sum(sales_so_far) FROM fair_bench."Products")::int = (SELECT count(*) FROM fair_bench.sales)::int AS counted,
       (SELECT reloptions[1] FROM pg_class WHERE oid = 'fair_bench.sales'::regclass) AS options`,
    );
    expect(rows).toEqual([{ keys: 2, counted: true, options: 'fillfactor=70' }]);
  },
);

test.for([
  ['DROP TABLE public.customers;', /table public\.customers/],
  ["UPDATE public.customers SET email = 'ours';", /rows of public\.customers/],
  ['ALTER TABLE public.customers ALTER email SET NOT NULL;', /table public\.customers/],
  ['CREATE TABLE public.more (id int);', /table public\.more/],
  ['CREATE FUNCTION public.f() RETURNS int LANGUAGE sql RETURN 1;', /routine (?:public\.)?f\(\)/],
  ['CREATE SCHEMA mine;', /schema mine/],
  ["ALTER TYPE public.mood ADD VALUE 'bored';", /type public\.mood/],
  [
    "DO $$ BEGIN EXECUTE 'ALTER ROLE CURRENT_USER SET synchronous_commit = off'; END $$;",
    /settings of roles/,
  ],
  ['CREATE POLICY p ON public.customers;', /table public\.customers/],
  ['END; DROP TABLE public.customers;', /table public\.customers/],
  ['CREATE TABLE t (id bigint REFERENCES public.customers (customer_id));', /table public\.customers/],
] as const)(
  'in a user’s database a file with "%s" changes nothing, and is refused',
  { timeout: 60_000 },
  async ([statement, says]) => {
    const why = await refusal(await changed('COMMIT;', `${statement}\nCOMMIT;`));
    expect(why).toMatch(/it changes what is not in the schema fair_bench: /);
    expect(why).toMatch(says);
    const { rows } = await theirs.query('SELECT * FROM customers');
    expect(rows).toEqual([{ customer_id: '1', email: 'theirs' }]);
  },
);

test('a user’s database has nothing of ours after an honest file', { timeout: 60_000 }, async () => {
  expect(await refusal(join(shop, 'postgres.schema.sql'))).toBe('it started');
  const left = await theirs.query(
    `SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' ORDER BY 1`,
  );
  // Types that nothing is stored in are no relations.
  expect(left.rows).toEqual([{ relname: 'customers' }, { relname: 'customers_pkey' }]);
  const schema = await theirs.query("SELECT 1 FROM pg_namespace WHERE nspname = 'fair_bench'");
  expect(schema.rows).toEqual([]);
});

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
      'the database shop (an alias must not have the name of one)',
    ]);
    vi.stubEnv('FAIR_BENCH_SCHEMA', 'shop');
    expect(verdictOf(await bench.withoutClient('mariadb-driver', { sessions: 2 }))).toBe('ok');
  },
);
