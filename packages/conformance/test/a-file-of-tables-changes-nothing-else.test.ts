import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LiarBench, verdictOf } from './support/liar-bench.ts';
import { refusal, shop, workload } from './support/shop.ts';

const scratch = await mkdtemp(join(tmpdir(), 'fair-bench-own-tables-'));
afterAll(async () => await rm(scratch, { recursive: true, force: true }));

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
    what: 'has times of milliseconds',
    from: 'sold_at timestamptz',
    to: 'sold_at timestamptz(3)',
    says: /its column sales\.sold_at is timestamp with time zone\(3\), in which timestamp of the workload is not exact/,
  },
  {
    what: 'has a partitioned table',
    from: 'COMMIT;',
    to: 'CREATE TABLE past (at date) PARTITION BY RANGE (at); COMMIT;',
    says: /its table past is partitioned or foreign/,
  },
  {
    what: 'has a body without an end',
    from: 'COMMIT;',
    to: 'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; COMMIT;',
    says: /"create function f \( \) returns" has a body without its END; correct the SQL there/,
  },
  {
    what: 'changes what a text is',
    from: 'COMMIT;',
    to: "SET standard_conforming_strings = off; SELECT '\\''; COMMIT; DROP TABLE public.customers; SELECT '\\'';",
    says: /standard_conforming_strings, which is not of the schema/,
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
  const why = await refusal(path, 'postgres-driver', url);
  expect(why).toContain(`setup ${path}: `);
  expect(why).toMatch(says);
});

test('a file that is not there is refused', async () => {
  expect(await refusal(join(scratch, 'none.sql'), 'postgres-driver', url)).toMatch(
    /none\.sql: .*name a file with CREATE TABLE/,
  );
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
CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO sales_log VALUES (NEW.sale_id); RETURN NEW; END $$;
CREATE TRIGGER logs AFTER INSERT ON sales FOR EACH ROW EXECUTE FUNCTION logs();
COMMIT;`;
    const bench = await LiarBench.with(
      { setup: await changed('COMMIT;', log), url },
      workload,
      'postgres-driver',
    );
    onTestFinished(() => bench.close());
    // A trial that the machine voids is measured again, and seeded before.
    const first = verdictOf(await bench.withoutClient('postgres-driver', { sessions: 1 }));
    const second = verdictOf(await bench.withoutClient('postgres-driver', { sessions: 1 }));
    expect(first === 'ok' ? second : first).toMatch(
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
  ['REVOKE CONNECT ON DATABASE theirs FROM PUBLIC;', /databases/],
  ['CREATE COLLATION public.c FROM "C";', /pg_collation of public: c/],
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
    const path = await changed('COMMIT;', `${statement}\nCOMMIT;`);
    const why = await refusal(path, 'postgres-driver', url);
    expect(why).toMatch(/it changes what is not in the schema fair_bench: /);
    expect(why).toMatch(says);
    const { rows } = await theirs.query('SELECT * FROM customers');
    expect(rows).toEqual([{ customer_id: '1', email: 'theirs' }]);
  },
);

test('a user’s database has nothing of ours after an honest file', { timeout: 60_000 }, async () => {
  const temporary =
    "CREATE TEMP TABLE first (id bigint); INSERT INTO first VALUES (2); INSERT INTO customers SELECT id, '' FROM first;";
  const path = await changed('COMMIT;', `${temporary}\nCOMMIT;`);
  expect(await refusal(path, 'postgres-driver', url)).toBe('it started');
  const left = await theirs.query(
    `SELECT relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' ORDER BY 1`,
  );
  // Types that nothing is stored in are no relations.
  expect(left.rows).toEqual([{ relname: 'customers' }, { relname: 'customers_pkey' }]);
  const schema = await theirs.query("SELECT 1 FROM pg_namespace WHERE nspname = 'fair_bench'");
  expect(schema.rows).toEqual([]);
});
