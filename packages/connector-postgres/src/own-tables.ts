import { ourSchema, type TableShape } from '@fair-bench/contract';
import { markTables, type Setup, type SetupDialect, setUpTables, type SqlConnection } from '@fair-bench/sql';
import type { ClientBase, ClientConfig } from 'pg';
import { z } from 'zod';
import { sqlOf, withClient } from './connection.ts';

/** How the tables of a user's file are made: in one transaction, and undone where it changes what is not ours. */
export function setupDialect(): SetupDialect {
  const schema = ourSchema();
  const marks = markTables.map((name) => `'${name}'`).join(', ');
  return {
    title: 'PostgreSQL',
    splitter: 'postgres',
    begin: ['BEGIN', `SET LOCAL search_path TO ${schema}`],
    end: ['COMMIT'],
    columns: `SELECT table_name, column_name, CASE WHEN is_nullable = 'NO' AND column_default IS NULL
        AND is_identity = 'NO' AND is_generated = 'NEVER' THEN 1 ELSE 0 END
      FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name NOT IN (${marks})
      ORDER BY table_name, ordinal_position`,
    async foreign(connection) {
      const before = await othersIn(connection, schema);
      return async () => {
        const after = await othersIn(connection, schema);
        const changed = [...after].filter(([name, state]) => before.get(name) !== state);
        const gone = [...before.keys()].filter((name) => !after.has(name));
        const written = await connection.query(
          `SELECT format('rows of %I.%I', schemaname, relname) FROM pg_stat_xact_user_tables
           WHERE schemaname <> '${schema}' AND n_tup_ins + n_tup_upd + n_tup_del > 0`,
          [],
        );
        return [...changed.map(([name]) => name), ...gone, ...written.map(([name]) => String(name))];
      };
    },
  };
}

/** What is in other schemas than ours, with the transactions that made or changed it: by its name, a digest. */
async function othersIn(connection: SqlConnection, schema: string): Promise<ReadonlyMap<string, string>> {
  const isOther = `n.nspname NOT IN ('${schema}', 'pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'`;
  const rows = await connection.query(
    `SELECT format('table %I.%I', n.nspname, c.relname), md5(concat(c.oid, c.xmin,
       (SELECT string_agg(concat(a.attnum, '.', a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = c.oid),
       (SELECT string_agg(concat(d.oid, '.', d.xmin), ',' ORDER BY d.oid) FROM pg_attrdef AS d WHERE d.adrelid = c.oid),
       (SELECT string_agg(concat(t.oid, '.', t.xmin), ',' ORDER BY t.oid) FROM pg_trigger AS t WHERE t.tgrelid = c.oid),
       (SELECT string_agg(concat(k.oid, '.', k.xmin), ',' ORDER BY k.oid) FROM pg_constraint AS k WHERE k.conrelid = c.oid)))
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE ${isOther}
     UNION ALL SELECT 'routine ' || p.oid::regprocedure, concat(p.oid, '.', p.xmin)
     FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE ${isOther}
     UNION ALL SELECT format('type %I.%I', n.nspname, t.typname), concat(t.oid, '.', t.xmin)
     FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace WHERE ${isOther}
     UNION ALL SELECT format('schema %I', n.nspname), concat(n.oid, '.', n.xmin) FROM pg_namespace AS n WHERE ${isOther}`,
    [],
  );
  return new Map(rows.map(([name, state]) => [String(name), String(state)]));
}

const oidsSchema = z.array(z.object({ oid: z.string() }));

/** The functions in our schema: of the user's tables, before the workload's. */
async function routinesOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query(
    `SELECT oid::text AS oid FROM pg_catalog.pg_proc WHERE pronamespace = to_regnamespace('${ourSchema()}')`,
  );
  return oidsSchema.parse(rows).map(({ oid }) => oid);
}

const keysSchema = z.array(z.object({ name: z.string(), drop: z.string(), create: z.string() }));

/**
 * The foreign keys of the user's tables. A table to which one refers cannot be emptied by itself: they are lifted for the seeding,
 * and put back once all tables are full, which checks every row.
 */
export class ForeignKeys {
  #lifted: z.infer<typeof keysSchema> = [];

  async lift(client: ClientBase): Promise<void> {
    if (this.#lifted.length > 0) return;
    const { rows } = await client.query(
      `SELECT conname AS name, format('ALTER TABLE %I.%I DROP CONSTRAINT %I', n.nspname, r.relname, c.conname) AS drop,
         format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', n.nspname, r.relname, c.conname, pg_get_constraintdef(c.oid)) AS create
       FROM pg_constraint AS c JOIN pg_class AS r ON r.oid = c.conrelid JOIN pg_namespace AS n ON n.oid = r.relnamespace
       WHERE c.contype = 'f' AND c.conparentid = 0 AND n.nspname = '${ourSchema()}' ORDER BY c.oid`,
    );
    const found = keysSchema.parse(rows);
    for (const { drop } of found) await client.query(drop);
    this.#lifted = found;
  }

  /** Rejects with the key and the row where seeded rows refer to none. */
  async restore(client: ClientBase): Promise<void> {
    const lifted = this.#lifted;
    if (lifted.length === 0) return;
    await client.query(lifted.map(({ create }) => create).join(';'));
    this.#lifted = [];
  }
}

/** What the user's own tables have besides rows. */
export interface OwnTables {
  readonly foreignKeys: ForeignKeys;
  /** The numbers of their functions, which are no operations. */
  readonly routines: readonly string[];
}

/** Makes the tables of a user's file in our schema; the file's own settings end with the session. */
export async function makeOwnTables(
  config: ClientConfig,
  setup: Setup,
  tables: readonly TableShape[],
  signal: AbortSignal,
): Promise<OwnTables> {
  return await withClient(config, signal, async (client) => {
    await setUpTables(sqlOf(client), setup, tables, setupDialect());
    return { foreignKeys: new ForeignKeys(), routines: await routinesOf(client) };
  });
}
