import { ourSchema } from '@fair-bench/contract';
import { type Dialect, nameOf, type SqlConnection } from './dialect.ts';

/** Marks the schema as ours: a user's schema of that name is never dropped. */
export const markTable = 'made_by_fair_bench';
/** Beside it where the schema was there, empty: its content is ours, and the schema stays. */
const filledMarkTable = 'filled_by_fair_bench';

/**
 * What has our schema's name: nothing; a schema that we made; one of the user's that was empty, and has only what is ours; one that is
 * empty; one with objects of the user's.
 */
type FoundSchema = 'none' | 'made' | 'filled' | 'empty' | 'foreign';

async function findSchema(connection: SqlConnection, { dropsIn }: Dialect): Promise<FoundSchema> {
  const schema = ourSchema();
  const exists = async (view: string, condition: string): Promise<boolean> =>
    (await connection.query(`SELECT 1 FROM information_schema.${view} WHERE ${condition}`, [])).length > 0;
  const hasTable = async (name: string): Promise<boolean> =>
    await exists('tables', `table_schema = '${schema}' AND table_name = '${name}'`);
  if (!(await exists('schemata', `schema_name = '${schema}'`))) return 'none';
  if (await hasTable(filledMarkTable)) return 'filled';
  if (await hasTable(markTable)) return 'made';
  const objects = dropsIn === undefined ? null : await connection.query(dropsIn(schema), []);
  return objects?.length === 0 ? 'empty' : 'foreign';
}

/** Why a run cannot have its schema there, and what to do; null where it can, as far as the server says. */
export async function schemaRefusal(
  connection: SqlConnection,
  dialect: Dialect,
): Promise<{ readonly reason: string; readonly remedy: string } | null> {
  const found = await findSchema(connection, dialect);
  if (found === 'foreign') {
    return {
      reason: `a schema ${ourSchema()} that is not ours is in this database, with objects in it`,
      remedy: 'name another one with --schema: one that is not there, or an empty one',
    };
  }
  if (found !== 'none' || dialect.mayCreateSchema === undefined) return null;
  const [row] = await connection.query(dialect.mayCreateSchema, []);
  return row === undefined
    ? {
        reason: `its user may not create the schema ${ourSchema()} in this database`,
        remedy: 'GRANT CREATE ON DATABASE to it, or name an empty schema that it may use with --schema',
      }
    : null;
}

/** Creates the schema again, empty, or uses an empty one that is there. Rejects when one with objects of the user's is there. */
export async function createSchema(connection: SqlConnection, dialect: Dialect): Promise<void> {
  await dropSchema(connection, dialect);
  const refusal = await schemaRefusal(connection, dialect);
  if (refusal !== null) throw new Error(`${refusal.reason}; ${refusal.remedy}`);
  const mark = async (name: string): Promise<unknown> =>
    await connection.query(`CREATE TABLE ${nameOf({ name }, dialect)} (of_fair_bench integer)`, []);
  // The user's, and empty: it stays.
  if ((await findSchema(connection, dialect)) === 'empty') await mark(filledMarkTable);
  else await connection.query(`CREATE SCHEMA ${ourSchema()}`, []);
  await mark(markTable);
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
