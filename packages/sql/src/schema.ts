import { randomBytes } from 'node:crypto';
import { ourSchema } from '@fair-bench/contract';
import { type Dialect, nameOf, type SqlConnection } from './dialect.ts';

/** Marks the schema as ours: a user's schema of that name is never dropped. */
export const markTable = 'made_by_fair_bench';
/** Beside it where the schema was there, empty: its content is ours, and the schema stays. */
const filledMarkTable = 'filled_by_fair_bench';
/** For facts: they are no tables of the workload. */
export const markTables: readonly string[] = [markTable, filledMarkTable];
/** The only column of the second mark: what another process left is not dropped, since its owner may have added to it. */
const ofThisProcess = `of_run_${randomBytes(8).toString('hex')}`;

/**
 * What has our schema's name: nothing; a schema that we made; one of the user's that was empty, and is filled by this process, or was
 * by another one that did not end in good order; one that is empty; one with objects of the user's.
 */
type FoundSchema = 'none' | 'made' | 'filled' | 'left' | 'empty' | 'foreign';

async function findSchema(connection: SqlConnection, { dropsIn }: Dialect): Promise<FoundSchema> {
  const schema = ourSchema();
  const exists = async (view: string, condition: string): Promise<boolean> =>
    (await connection.query(`SELECT 1 FROM information_schema.${view} WHERE ${condition}`, [])).length > 0;
  const hasTable = async (name: string): Promise<boolean> =>
    await exists('tables', `table_schema = '${schema}' AND table_name = '${name}'`);
  if (!(await exists('schemata', `schema_name = '${schema}'`))) return 'none';
  if (await hasTable(filledMarkTable)) {
    const own = `table_schema = '${schema}' AND table_name = '${filledMarkTable}' AND column_name = '${ofThisProcess}'`;
    return (await exists('columns', own)) ? 'filled' : 'left';
  }
  if (await hasTable(markTable)) return 'made';
  const objects = dropsIn === undefined ? null : await connection.query(dropsIn(schema), []);
  return objects?.length === 0 ? 'empty' : 'foreign';
}

interface Refusal {
  readonly reason: string;
  readonly remedy: string;
}

/** Says why a run cannot have its schema there, and what to do; null where it can, as far as the server says. */
export async function schemaRefusal(connection: SqlConnection, dialect: Dialect): Promise<Refusal | null> {
  return await refusalOf(await findSchema(connection, dialect), connection, dialect);
}

async function refusalOf(
  found: FoundSchema,
  connection: SqlConnection,
  dialect: Dialect,
): Promise<Refusal | null> {
  if (found === 'foreign') {
    return {
      reason: `a schema ${ourSchema()} that is not ours is in this database, with objects in it`,
      remedy: 'name another one with --schema: one that is not there, or an empty one',
    };
  }
  if (found === 'left') {
    return {
      reason: `the schema ${ourSchema()}, which was there before, has what a run left that was killed`,
      remedy: 'look at it and empty it, or name another one with --schema',
    };
  }
  const isPermitted = async (query: string | undefined): Promise<boolean> => {
    if (query === undefined) return true;
    // A server that only speaks the protocol may not say it; what it then refuses comes later.
    const rows = await connection.query(query, []).catch(() => null);
    return rows === null || rows.length > 0;
  };
  if (found === 'none' && !(await isPermitted(dialect.mayCreateSchema))) {
    return {
      reason: `its user may not create the schema ${ourSchema()} in this database`,
      remedy: 'GRANT CREATE ON DATABASE to it, or name an empty schema that it may use with --schema',
    };
  }
  if (found === 'empty' && !(await isPermitted(dialect.mayFillSchema?.(ourSchema())))) {
    return {
      reason: `its user may create nothing in the schema ${ourSchema()}`,
      remedy: `GRANT USAGE, CREATE ON SCHEMA ${ourSchema()} to it`,
    };
  }
  return null;
}

/** Creates the schema again, empty, or uses an empty one that is there. Rejects when one with objects of the user's is there. */
export async function createSchema(connection: SqlConnection, dialect: Dialect): Promise<void> {
  await dropSchema(connection, dialect);
  const found = await findSchema(connection, dialect);
  const refusal = await refusalOf(found, connection, dialect);
  if (refusal !== null) throw new Error(`${refusal.reason}; ${refusal.remedy}`);
  const mark = async (name: string, column: string): Promise<unknown> =>
    await connection.query(`CREATE TABLE ${nameOf({ name }, dialect)} (${column} integer)`, []);
  // The user's, and empty: it stays.
  if (found === 'empty') await mark(filledMarkTable, ofThisProcess);
  else await connection.query(`CREATE SCHEMA ${ourSchema()}`, []);
  await mark(markTable, 'of_fair_bench');
}

/** Drops only what `createSchema` created, with its content. */
export async function dropSchema(connection: SqlConnection, dialect: Dialect): Promise<void> {
  const found = await findSchema(connection, dialect);
  if (found === 'made') await connection.query(`DROP SCHEMA ${ourSchema()} ${dialect.cascade ?? ''}`, []);
  if (found !== 'filled' || dialect.dropsIn === undefined) return;
  for (const [text] of await connection.query(dialect.dropsIn(ourSchema()), [])) {
    await connection.query(String(text), []);
  }
}
