import { pipeline } from 'node:stream/promises';
import type { Client, ClientBase, ClientConfig } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import type { ControlPlane, Row, ScalarValue, TableShape, WorkloadShape } from '@fair-bench/contract';
import { openConnection, withClient } from './connection.ts';
import { installBinding } from './install.ts';
import type { Profile } from './profile.ts';
import { scalarOf, type TextRow } from './replies.ts';
import { ourSchema, sqlTypes } from './statements.ts';
import { tunedTableSettings } from './tuned-profile.ts';

const pageRows = 20_000;
const lockTimeoutMs = 10_000;
/** Marks the schema as ours: a user's schema of that name is never dropped. */
const schemaComment = 'Made by Fair Bench, which drops it.';

const commentSchema = z.array(z.object({ comment: z.string().nullable() })).max(1);
const privilegeSchema = z.tuple([z.object({ permitted: z.boolean() })]);
/** Every value as the server writes it: the workload defines the types. */
const asText = { getTypeParser: () => (text: string) => text };

/** Creates the schema again, empty. Rejects when it exists and is not ours. */
export async function createSchema(client: ClientBase): Promise<void> {
  await dropSchema(client);
  await client.query(`CREATE SCHEMA ${ourSchema}; COMMENT ON SCHEMA ${ourSchema} IS '${schemaComment}'`);
}

/** Drops only what `createSchema` created, with its content. */
export async function dropSchema(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT obj_description(oid, 'pg_namespace') AS comment FROM pg_namespace WHERE nspname = $1`,
    [ourSchema],
  );
  const [found] = commentSchema.parse(rows);
  if (found === undefined) return;
  if (found.comment !== schemaComment) {
    throw new Error(
      `a schema ${ourSchema} that is not ours is in this database; rename it, or name another database`,
    );
  }
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await client.query(`DROP SCHEMA ${ourSchema} CASCADE`);
}

/** Creates the tables again, empty, with their indexes. */
export async function createTables(client: ClientBase, tables: readonly TableShape[]): Promise<void> {
  for (const table of tables) {
    const { columns, keyColumns, indexes } = table;
    const name = nameOf(table);
    const defined = columns.map((column) => `"${column.name}" ${sqlTypes[column.type.kind].name} NOT NULL`);
    const key = quoted(columns.slice(0, keyColumns).map((column) => column.name));
    await client.query(`DROP TABLE IF EXISTS ${name} CASCADE`);
    await client.query(`CREATE TABLE ${name} (${defined.join(', ')}, PRIMARY KEY (${key}))`);
    for (const index of indexes) await client.query(`CREATE INDEX ON ${name} (${quoted(index)})`);
  }
}

/** Gives the written tables the profile's storage parameters, and removes those of another profile. */
export async function setTables(
  client: ClientBase,
  tables: readonly TableShape[],
  profile: Profile,
): Promise<void> {
  for (const table of tables) {
    const wanted = table.written ? profile.table : {};
    const set = Object.entries(wanted).map(([name, value]) => `${name} = ${value}`);
    const reset = tunedTableSettings.map(({ name }) => name).filter((name) => wanted[name] === undefined);
    const alter = `ALTER TABLE ${nameOf(table)}`;
    if (set.length > 0) await client.query(`${alter} SET (${set.join(', ')})`);
    if (reset.length > 0) await client.query(`${alter} RESET (${reset.join(', ')})`);
  }
}

/** Whether the session's user has the right to CHECKPOINT. */
export async function mayCheckpoint(client: ClientBase): Promise<boolean> {
  // The role pg_checkpoint exists since 15.
  const { rows } = await client.query(
    `SELECT rolsuper OR EXISTS (SELECT FROM pg_roles AS r
       WHERE r.rolname = 'pg_checkpoint' AND pg_has_role(current_user, r.oid, 'USAGE')) AS permitted
     FROM pg_roles WHERE rolname = current_user`,
  );
  return privilegeSchema.parse(rows)[0].permitted;
}

/**
 * The tables over separate connections, loaded with the profile's parameters. `sqlBinding` is the workload's
 * `postgres.sql`, null without one, or if the server cannot create functions.
 */
export function postgresTables(
  config: ClientConfig,
  workload: WorkloadShape | null,
  profile: Profile,
  sqlBinding: string | null,
): ControlPlane {
  const shapeOf = (table: number): TableShape => {
    const shape = workload?.tables[table];
    if (shape === undefined) throw new Error(`postgres: the workload has no table ${table}`);
    return shape;
  };
  const use = async (signal: AbortSignal, act: (client: Client) => Promise<void>): Promise<void> => {
    await withClient(config, signal, async (client) => {
      await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
      await act(client);
    });
  };
  const clear = async (table: number, signal: AbortSignal): Promise<void> => {
    await use(signal, async (client) => void (await client.query(`TRUNCATE ${nameOf(shapeOf(table))}`)));
  };
  return {
    async create(tables, signal) {
      const shapes = workload?.tables ?? [];
      if (JSON.stringify(tables) !== JSON.stringify(shapes)) {
        await use(signal, async (client) => await createTables(client, tables));
        return;
      }
      // The tables from its start stay: an ORM has prepared statements on them, a function their types.
      for (const table of shapes.keys()) await clear(table, signal);
    },
    async install(_binding, signal) {
      if (workload === null || sqlBinding === null) return;
      await use(signal, async (client) => await installBinding(client, sqlBinding, workload));
    },
    clear,
    load: async (table, pages, signal) =>
      await use(signal, async (client) => {
        await setTables(client, [shapeOf(table)], profile);
        await load(client, shapeOf(table), pages);
      }),
    copies: {
      keep: async (table, name, signal) =>
        await use(signal, async (client) => {
          const copy = copyOf(name);
          await client.query(`DROP TABLE IF EXISTS ${copy}`);
          // Nothing of it may be written during a trial.
          await client.query(
            `CREATE UNLOGGED TABLE ${copy} WITH (autovacuum_enabled = off) AS TABLE ${nameOf(shapeOf(table))}`,
          );
        }),
      async refill(table, name, signal) {
        // By COPY, like the load: an INSERT would leave an extra page.
        let rows = 0;
        await use(signal, async (client) => {
          await client.query(`BEGIN; TRUNCATE ${nameOf(shapeOf(table))}`);
          await use(signal, async (other) => {
            const source = other.query(copyTo(`COPY ${copyOf(name)} TO STDOUT (FORMAT binary)`));
            const filled = client.query(
              copyFrom(`COPY ${nameOf(shapeOf(table))} FROM STDIN (FORMAT binary, FREEZE)`),
            );
            await pipeline(source, filled);
            rows = filled.rowCount;
          });
          await client.query('COMMIT');
        });
        return rows;
      },
    },
    scan: (table, signal) => scan(config, shapeOf(table), signal),
    read: async (table, keys, signal) =>
      await withClient(config, signal, async (client) => await readRows(client, shapeOf(table), keys)),
  };
}

/** A workload's table names have no spaces. */
function copyOf(name: string): string {
  return `${ourSchema}."copy ${name}"`;
}

/** By COPY in one transaction: all rows or none. */
async function load(
  client: ClientBase,
  shape: TableShape,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const name = nameOf(shape);
  const { rowCount } = await client.query(`SELECT FROM ${name} LIMIT 1`);
  await client.query(rowCount === 0 ? `BEGIN; TRUNCATE ${name}` : 'BEGIN');
  const copy = `COPY ${name} FROM STDIN${rowCount === 0 ? ' (FREEZE)' : ''}`;
  await pipeline(copyTexts(pages), client.query(copyFrom(copy)));
  await client.query('COMMIT');
  await client.query(`VACUUM (ANALYZE) ${name}`);
}

/** Rows in COPY's text format, a page at a time. */
async function* copyTexts(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<string> {
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += pageRows) {
      const rows = page.slice(from, from + pageRows);
      yield rows.map((row) => `${row.map(copyText).join('\t')}\n`).join('');
    }
  }
}

const copyEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function copyText(value: ScalarValue): string {
  if (typeof value === 'string')
    return value.replaceAll(/[\\\t\n\r]/g, (found) => copyEscapes[found] ?? found);
  return value instanceof Uint8Array ? `\\\\x${Buffer.from(value).toString('hex')}` : String(value);
}

/** One statement, so one snapshot, read page by page in the table's own order. */
async function* scan(
  config: ClientConfig,
  shape: TableShape,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  await using connection = await openConnection(config, signal);
  const { client } = connection;
  await client.query('BEGIN READ ONLY');
  await client.query(`DECLARE page NO SCROLL CURSOR FOR SELECT * FROM ${nameOf(shape)}`);
  const fetch = async () =>
    await client.query({ text: `FETCH ${pageRows} FROM page`, rowMode: 'array', types: asText });
  let coming = fetch();
  for (;;) {
    const { rows } = await coming;
    const page = rowsOf(rows, shape);
    if (page.length === 0) return;
    // The server reads the next page while this one is compared.
    coming = fetch();
    coming.catch(() => undefined);
    yield page;
  }
}

/** Rows by their keys, with a statement that the session prepares once. */
export async function readRows(
  client: ClientBase,
  shape: TableShape,
  keys: readonly Row[],
): Promise<readonly Row[]> {
  const columns = shape.columns.slice(0, shape.keyColumns);
  const names = quoted(columns.map(({ name }) => name));
  const { rows } = await client.query({
    name: `read ${shape.name}`,
    text: `SELECT * FROM ${nameOf(shape)} WHERE (${names}) IN (SELECT * FROM ${unnest(columns)})`,
    values: arraysOf(keys, columns.length),
    rowMode: 'array',
    types: asText,
  });
  return rowsOf(rows, shape);
}

function rowsOf(rows: readonly unknown[], { name, columns }: TableShape): Row[] {
  return rows.map((row) => {
    if (!isTextRow(row)) throw new Error(`postgres: a row of ${name} is no list of texts`);
    return columns.map((column, place) => {
      const value = scalarOf(row[place] ?? null, column);
      if (value === null) throw new Error(`postgres: ${name}.${column.name} is ${row[place] ?? 'null'}`);
      return value;
    });
  });
}

/** By hand: checking with a schema would take longer than reading the whole table. */
function isTextRow(row: unknown): row is TextRow {
  return Array.isArray(row) && row.every((value) => value === null || typeof value === 'string');
}

function unnest(columns: TableShape['columns']): string {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${sqlTypes[type.kind].name}[]`);
  return `unnest(${arrays.join(', ')})`;
}

/** One array for each column. */
function arraysOf(rows: readonly Row[], width: number): unknown[][] {
  return Array.from({ length: width }, (_column, place) =>
    rows.map((row) => {
      const value = row[place];
      return value instanceof Uint8Array ? Buffer.from(value) : value;
    }),
  );
}

function nameOf({ name }: TableShape): string {
  return `${ourSchema}."${name}"`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
