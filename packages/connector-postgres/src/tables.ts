import { pipeline } from 'node:stream/promises';
import type { Client, ClientBase } from 'pg';
import { type CopyStreamQuery, from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import {
  type ControlPlane,
  type Row,
  type ScalarValue,
  tableAt,
  type TableShape,
  type WorkloadShape,
  ourSchema,
} from '@fair-bench/contract';
import { type Cell, nameOf, namesOf, sqlTables, storedCell, valuesOf } from '@fair-bench/sql';
import { type ControlConnections, sqlOf } from './connection.ts';
import { CopiedRows } from './copied-rows.ts';
import { installBinding } from './install.ts';
import { indexesOf, type Loading } from './loading.ts';
import type { Profile } from './profile.ts';
import type { Constraints, OwnTables } from './own-tables.ts';
import { dialect } from './statements.ts';
import { tunedTableSettings } from './tuned-profile.ts';

const pageRows = 20_000;

const privilegeSchema = z.tuple([z.object({ permitted: z.boolean() })]);

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
    const alter = `ALTER TABLE ${nameOf(table, dialect)}`;
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

interface TablesSetting {
  /** The workload's `postgres.sql`; null without one, or if the server cannot create functions. */
  readonly sqlBinding: string | null;
  readonly hasBatches: boolean;
  readonly loading: Loading;
  /** What the user's own tables have besides rows; null for ours. */
  readonly own: OwnTables | null;
}

/** The tables over control connections, loaded with the profile's parameters. */
export function postgresTables(
  control: ControlConnections,
  workload: WorkloadShape | null,
  profile: Profile,
  { sqlBinding, hasBatches, loading, own }: TablesSetting,
): ControlPlane {
  const shapes = workload?.tables ?? [];
  const shapeAt = (table: number): TableShape => tableAt('postgres', shapes, table);
  const constraints = own?.constraints;
  const tables = sqlTables(
    'postgres',
    shapes,
    dialect,
    async (signal) => {
      const { client, [Symbol.asyncDispose]: end } = await control.acquire(signal);
      return { ...sqlOf(client), [Symbol.asyncDispose]: end };
    },
    own?.others ?? null,
  );
  /** Before a table is emptied. */
  const lift = async (signal: AbortSignal): Promise<void> => {
    if (constraints !== undefined)
      await control.use(signal, async (client) => await constraints.lift(client));
  };
  return {
    ...tables,
    async create(all, signal) {
      await lift(signal);
      await tables.create(all, signal);
    },
    async clear(table, signal) {
      await lift(signal);
      await tables.clear(table, signal);
    },
    ...(own === null
      ? {}
      : {
          constrain: async (signal) =>
            await control.use(signal, async (client) => {
              await own.constraints.restore(client);
              await own.others.check(sqlOf(client));
            }),
        }),
    // By COPY: less work at both ends than the pages of a query.
    scan: (table, signal) => control.stream(signal, (client) => copiedRows(client, shapeAt(table))),
    async install(_binding, signal) {
      if (workload === null || sqlBinding === null) return;
      await control.use(
        signal,
        async (client) =>
          await installBinding(client, sqlBinding, { workload, hasBatches, kept: own?.routines ?? [] }),
      );
    },
    load: async (table, pages, signal) =>
      await control.use(signal, async (client) => {
        // The user's own keep what their file says.
        if (own === null) await setTables(client, [shapeAt(table)], profile);
        await load(client, shapeAt(table), loading, pages);
      }),
    copies: copiesOf(control, shapeAt, loading, constraints),
  };
}

/** Copies of rows in tables of their own. */
function copiesOf(
  control: ControlConnections,
  shapeAt: (table: number) => TableShape,
  loading: Loading,
  constraints: Constraints | undefined,
): NonNullable<ControlPlane['copies']> {
  return {
    keep: async (table, name, signal) =>
      await control.use(signal, async (client) => {
        const copy = copyOf(name);
        await client.query(`DROP TABLE IF EXISTS ${copy}`);
        // Nothing of it may be written during a trial.
        await client.query(
          `CREATE UNLOGGED TABLE ${copy} WITH (autovacuum_enabled = off) AS SELECT ${columnsOf(shapeAt(table))} FROM ${nameOf(shapeAt(table), dialect)}`,
        );
      }),
    // By COPY, like the load: an INSERT would leave an extra page.
    refill: async (table, name, signal) =>
      await control.use(signal, async (client) => {
        await constraints?.lift(client);
        return await replaceRows(
          client,
          { table: shapeAt(table), loading, format: 'binary' },
          async (filled) =>
            await control.use(signal, async (other) => {
              const source = other.query(copyTo(`COPY ${copyOf(name)} TO STDOUT (FORMAT binary)`));
              await pipeline(source, filled);
            }),
        );
      }),
  };
}

/** A workload's table names have no spaces. */
function copyOf(name: string): string {
  return `${ourSchema()}."copy ${name}"`;
}

/** All rows of a table, as one statement sees them. */
async function* copiedRows(client: Client, table: TableShape): AsyncGenerator<readonly Row[]> {
  const rows = new CopiedRows(table);
  const selected = `SELECT ${valuesOf(table, dialect)} FROM ${nameOf(table, dialect)}`;
  const chunks = client.query(copyTo(`COPY (${selected}) TO STDOUT (FORMAT binary)`));
  for await (const chunk of chunks) yield rows.take(z.instanceof(Buffer).parse(chunk));
  rows.end();
}

/** By COPY in one transaction: all rows or none. */
async function load(
  client: ClientBase,
  table: TableShape,
  loading: Loading,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const name = nameOf(table, dialect);
  const fill = async (filled: CopyStreamQuery): Promise<void> =>
    await pipeline(copyTexts(table, pages), filled);
  const { rowCount } = await client.query(`SELECT 1 FROM ${name} LIMIT 1`);
  if (rowCount === 0) await replaceRows(client, { table, loading, format: 'text' }, fill);
  else await fill(client.query(copyFrom(`COPY ${name} (${columnsOf(table)}) FROM STDIN`)));
  await client.query(loading.vacuums ? `VACUUM (ANALYZE) ${name}` : `ANALYZE ${name}`);
}

/** The described columns, by commas: the user's own tables may have others. */
function columnsOf({ columns }: TableShape): string {
  return namesOf(columns, dialect);
}

interface Replaced {
  readonly table: TableShape;
  readonly loading: Loading;
  readonly format: 'text' | 'binary';
}

/**
 * Replaces a table's rows in one transaction, and resolves with their number. Indexes are built afterwards, as
 * pgbench does: keeping them up to date row by row would take longer than everything else.
 */
async function replaceRows(
  client: ClientBase,
  { table, loading, format }: Replaced,
  fill: (filled: CopyStreamQuery) => Promise<void>,
): Promise<number> {
  const name = nameOf(table, dialect);
  await client.query(`BEGIN; TRUNCATE ${name}`);
  const indexes = loading.rebuildsIndexes ? await indexesOf(client, name) : [];
  await client.query(indexes.map(({ drop }) => drop).join(';'));
  const options = [`FORMAT ${format}`, ...(loading.freezes ? ['FREEZE'] : [])].join(', ');
  const filled = client.query(copyFrom(`COPY ${name} (${columnsOf(table)}) FROM STDIN (${options})`));
  await fill(filled);
  await client.query(indexes.map(({ create }) => create).join(';'));
  await client.query('COMMIT');
  return filled.rowCount;
}

/** Rows in COPY's text format, a page at a time. */
async function* copyTexts(
  { columns }: TableShape,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const texts = columns.map((column) => {
    const isPlain = column.stored === undefined && column.nullable === undefined;
    return isPlain ? copyText : (value: ScalarValue) => storedCopyText(storedCell(column, value, dialect));
  });
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += pageRows) {
      const rows = page.slice(from, from + pageRows);
      yield rows.map((row) => `${row.map((value, place) => texts[place]?.(value)).join('\t')}\n`).join('');
    }
  }
}

const copyEscaped = /[\\\t\n\r]/g;
const copyEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function storedCopyText(cell: Cell): string {
  return cell === null ? '\\N' : copyText(cell);
}

function copyText(value: ScalarValue): string {
  // Most texts have nothing to escape, and a test costs a fraction of a replacement.
  if (typeof value === 'string')
    return value.search(copyEscaped) === -1
      ? value
      : value.replaceAll(copyEscaped, (found) => copyEscapes[found] ?? found);
  return value instanceof Uint8Array ? `\\\\x${Buffer.from(value).toString('hex')}` : String(value);
}
